import assert from "node:assert/strict";
import test from "node:test";

import { beatAxis, namelessAxis, defaults, piecesOf } from "../../player/beat-axis.ts";
import { goToAsked } from "../../player/asked-step.ts";
import { BeatWalk } from "../../player/beat-walk.ts";
import { nameIn, whereIn } from "../../player/beats-bar.ts";
import type { Beat, BeatPlan } from "../../player/beats.ts";
import { addedText, countOf, landingAfter, landingAt, landingBefore, leavesOf, numberOf, placeOf, plumbingAround, stepNumbered, tileTexts, titleOf, wholeName } from "../../player/beats.ts";
import { defaults as playing, standsFor } from "../../player/play.ts";
import { saidOfBeat } from "../../player/said-of-beat.ts";
import { PlayerStore } from "../../player/store.ts";
import { words } from "../../player/text.ts";
import { branch, Frames, makeRun, step, StoredSource } from "./fixture.ts";

function beat(number: number, first: number, last: number, lands: number, more: Partial<Beat> = {}): Beat {
  return { number, first, last, lands, key: "beat.test", params: { number }, lines: [], ...more };
}

const PLAN: BeatPlan = { steps: 40, complete: true, beats: [beat(1, 1, 4, 2), beat(2, 5, 30, 9), beat(3, 31, 40, 31)] };
const NESTED: BeatPlan = { ...PLAN, beats: [beat(1, 1, 20, 20, { beats: [beat(1, 1, 9, 5), beat(2, 10, 20, 12)] }), beat(2, 21, 40, 30)] };

test("from beat to beat, and behind the last landing to the end", () => {
  const forward = (plan: BeatPlan): number[] => {
    const seen: number[] = [];
    for (let at: number | null = landingAfter(plan, 0); at !== null; at = landingAfter(plan, at)) seen.push(at);
    return seen;
  };
  assert.deepEqual(forward(PLAN), [2, 9, 31, 40]);
  assert.deepEqual(forward(NESTED), [20, 30, 40], "a long beat is one beat");
  assert.deepEqual([40, 31, 20, 2, 0].map((at) => landingBefore(PLAN, at)), [31, 9, 9, 0, 0]);
});

test("at the landing of a beat inside a long one, a press goes to the next inside, then on around it", () => {
  assert.deepEqual([3, 5, 12, 20, 25].map((at) => landingAfter(NESTED, at)), [20, 12, 20, 30, 30]);
  assert.deepEqual([40, 30, 20, 12, 8].map((at) => landingBefore(NESTED, at)), [30, 20, 0, 5, 0]);
  assert.equal(nameIn(NESTED, 20)?.number, "1", "where a long beat lands, it is named by its own title");
});

test("in a changed run a press goes from one thing that came of the change to the next, past other beats beside it", () => {
  const came = (number: number, first: number, last: number, lands: number): ReturnType<typeof beat> => beat(number, first, last, lands, { added: true, stop: true });
  const changed: BeatPlan = { ...PLAN, beats: [beat(1, 1, 20, 3, { beats: [beat(1, 1, 4, 3), came(2, 5, 8, 6), beat(3, 9, 12, 10), came(4, 13, 20, 15)] }), beat(2, 21, 40, 30)] };
  assert.deepEqual([0, 3, 6, 15].map((at) => landingAfter(changed, at)), [3, 6, 15, 30]);
  assert.deepEqual([3, 6, 15].map((at) => nameIn(changed, at)?.number), ["1", "2", "3"]);
  assert.deepEqual([0, 1].map((place) => numberOf(changed.beats, place)), ["1–3", "4"]);
});

test("where a beat lands, the author's title leads, and the other steps that the title is about are named", () => {
  words.learn("en", { texts: { "player.titled": "{title}.", "player.also_step": "The same happens with {names} in step {step}." }, sources: {} });
  const said = ["c1 crashes. Its memory is lost.", "A note."];
  assert.equal(landingAt(NESTED, 12)?.number, 2);
  assert.deepEqual(saidOfBeat(beat(2, 5, 9, 9, { also: [{ step: 8, names: ["p1"] }] }), said, false), ["", "c1 crashes.", "The same happens with p1 in step 8.", "Its memory is lost.", "A note."]);
  assert.equal(saidOfBeat(beat(2, 5, 9, 9, { title: { en: "So it crashes", "zh-Hans": "" } }), said, false)[0], "So it crashes.");
  words.learn("en", { texts: { "player.titled": "{title}.", "beat.test.said": "{count} records wait" }, sources: {} });
  assert.equal(saidOfBeat(beat(2, 5, 9, 9, { says: "beat.test.said", params: { count: 2 } }), said, false)[0], "2 records wait.");
  words.learn("en", { texts: { "player.titled": "{title}.", "beat.test.said": "{count} records wait", "test.why": "The transaction before them is open." }, sources: {} });
  const explained = beat(2, 5, 9, 9, { says: "beat.test.said", params: { count: 2 }, because: { key: "test.why", params: {} } });
  assert.deepEqual(saidOfBeat(explained, ["c1 fetches."], false), ["2 records wait.", "The transaction before them is open.", "c1 fetches."]);
  assert.deepEqual(saidOfBeat(explained, ["The LSO advances.", "c1 fetches."], false).slice(2), ["c1 fetches.", "The LSO advances."]);
  assert.deepEqual(saidOfBeat(undefined, ["c1 crashes. Its memory is lost."], false, null, "It had the newest batch."), ["", "c1 crashes.", "It had the newest batch.", "Its memory is lost."]);
  assert.deepEqual(saidOfBeat(undefined, said, false), ["", "c1 crashes.", "Its memory is lost.", "A note."]);
});

test("where a beat lands, the page names what the reader has not seen on the way to it", () => {
  words.learn("en", { texts: { "player.passed": "Before this: {things}.", "player.passed_step": "{title} (step {step})", "join.semicolon": "; ", "beat.begins": "{client} begins", "beat.commits": "{client} commits" }, sources: {} });
  const passed = [{ step: 5, key: "beat.begins", params: { client: "p1" } }, { step: 7, key: "beat.commits", params: { client: "p1" } }];
  const said = (from: number | null): string[] => saidOfBeat(beat(2, 5, 9, 9, { passed }), ["c1 crashes."], false, from).filter((part) => part !== "");
  assert.deepEqual(said(4), ["c1 crashes.", "Before this: p1 begins (step 5); p1 commits (step 7)."]);
  assert.deepEqual(said(6), ["c1 crashes.", "Before this: p1 commits (step 7)."], "one step at a time, the reader saw step 5");
  assert.deepEqual([said(8), said(12), said(null)], [["c1 crashes."], ["c1 crashes."], ["c1 crashes."]]);
});

test("behind the last landing of a run whose last beat is long, presses go through the beats inside it", () => {
  const within = beat(9, 21, 40, 24, { beats: [beat(1, 21, 25, 24), beat(2, 26, 34, 28, { stop: true }), beat(3, 35, 40, 36, { stop: true })] });
  const plan: BeatPlan = { ...PLAN, beats: [beat(8, 1, 20, 5), within] };
  assert.deepEqual([5, 24, 28, 36].map((at) => landingAfter(plan, at)), [24, 28, 36, 40]);
  assert.deepEqual([36, 28, 24].map((at) => landingBefore(plan, at)), [28, 24, 5]);
});

test("number, count and tile of a beat agree at every stop", () => {
  words.learn("en", { texts: { "beat.test": "Beat {number}", "player.beat_part": "part {part} of {parts}", "player.beat_part_title": "{number}. {title}", "player.beat_parts": "({count:part|parts})" }, sources: {} });
  const within = beat(9, 21, 40, 24, { beats: [beat(1, 21, 25, 24), beat(2, 26, 34, 28, { stop: true }), beat(3, 35, 40, 36, { stop: true })] });
  const plan: BeatPlan = { ...PLAN, beats: [beat(8, 1, 20, 5), within] };
  assert.deepEqual([5, 24, 28, 36].map((at) => [whereIn(plan, at)?.number, nameIn(plan, at)?.number]), [[1, "1"], [2, "2"], [3, "3"], [4, "4"]]);
  assert.deepEqual([countOf(plan.beats), numberOf(plan.beats, 1)], [4, "2–4"]);
  assert.deepEqual(tileTexts(plan.beats, 1), [["Beat 9", "(3 parts)"], ["Beat 9", "part 1 of 3"], ["Beat 9", "3. Beat 2"], ["Beat 9", "4. Beat 3"]]);
  assert.deepEqual([1, 2, 3, 4, 5].map((number) => stepNumbered(plan.beats, number)), [5, 24, 28, 36, null]);
  assert.equal(nameIn(plan, 28)?.beat.number, 2);
});

test("presses go through what came of an intervention inside a beat, and the beat names it", () => {
  words.learn("en", { texts: { "beat.test": "Beat {number}", "player.beat_added": "+ {title}", "player.beat_added_more": "+ {title} ({count:part|parts})" }, sources: {} });
  const changed = beat(2, 21, 40, 38, { beats: [beat(3, 21, 24, 22, { added: true, stop: true }), beat(4, 25, 34, 26, { added: true, stop: true }), beat(5, 35, 40, 38)] });
  const plan: BeatPlan = { ...PLAN, beats: [beat(1, 1, 20, 5), changed] };
  assert.deepEqual([5, 22, 26, 38].map((at) => landingAfter(plan, at)), [22, 26, 38, 40]);
  assert.deepEqual([40, 38, 26, 22].map((at) => landingBefore(plan, at)), [38, 26, 22, 5]);
  assert.deepEqual(tileTexts([changed, ...plan.beats], 0)[0], ["Beat 3", "+ Beat 2 (3 parts)"], "in the order of the stops");
  assert.equal(wholeName(plan.beats, 1), "Beat 3 + Beat 4 + Beat 2");
  assert.deepEqual([26, 38].map((at) => whereIn(plan, at)), [3, 4].map((number) => ({ number, count: 4, part: 0, parts: 0 })), "Every number is gone through.");
  const early = { ...changed, lands: 21 };
  const last = { ...early, beats: early.beats?.map((one) => ({ ...one, stop: true })) };
  assert.deepEqual([[early, ...plan.beats], [last]].map((beats) => addedText(beats, 0)), ["+ Beat 3 (3 parts)", "+ Beat 4 (4 parts)"]);
  assert.equal(addedText(NESTED.beats, 0), "");
});

test("two stops of a reader in a changed beat have different numbers, wherever its own landing lies", () => {
  const changed = beat(1, 1, 40, 24, { beats: [beat(1, 1, 9, 8), beat(2, 10, 40, 12, { added: true, stop: true })] });
  const plan: BeatPlan = { ...PLAN, beats: [changed] };
  assert.deepEqual([5, 10, 12, 24, 30].map((at) => [whereIn(plan, at)?.number, nameIn(plan, at)?.number]), [[1, "1"], [1, "1"], [1, "1"], [2, "2"], [2, "2"]]);
});

test("behind the landing of a long beat, no part of it is named", () => {
  const plan: BeatPlan = { ...PLAN, beats: [beat(1, 1, 40, 30, { beats: [beat(1, 1, 9, 8), beat(2, 10, 40, 30)] })] };
  assert.deepEqual([8, 30, 36].map((at) => whereIn(plan, at)?.part), [1, 0, 0]);
});

test("a long beat without beats of its own is gone through with one press, though it is listed in parts", () => {
  const parts: BeatPlan = { ...PLAN, beats: [beat(1, 1, 20, 3, { beats: [beat(1, 1, 9, 5, { kind: "part" }), beat(2, 10, 20, 12, { kind: "part" })] }), beat(2, 21, 40, 30)] };
  assert.equal(landingAfter(parts, 3), 30);
  assert.deepEqual(whereIn(parts, 11), { number: 1, count: 2, part: 0, parts: 0 });
});

test("a step stands in one beat, and in one part of a long one", () => {
  assert.deepEqual([0, 1, 4, 5, 40, 55].map((at) => placeOf(PLAN.beats, at)), [-1, 0, 0, 1, 2, 2]);
  assert.equal(leavesOf(NESTED.beats).length, 3);
  assert.deepEqual(whereIn(NESTED, 11), { number: 1, count: 2, part: 2, parts: 2 });
  assert.deepEqual(whereIn(PLAN, 5), { number: 2, count: 3, part: 0, parts: 0 });
  assert.equal(whereIn(PLAN, 0), null);
});

test("a part of a long beat is named by its own title", () => {
  assert.deepEqual([9, 11, 21].map((at) => nameIn(NESTED, at)?.number), ["1.1", "1.2", "2"]);
  assert.equal(nameIn(NESTED, 11)?.beat.lands, 12);
  assert.equal(nameIn(NESTED, 0), null);
});

test("an author's own name goes before the catalogue's", () => {
  words.learn("en", { texts: { "beat.test": "Beat {number}" }, sources: {} });
  assert.equal(titleOf(beat(3, 1, 1, 1)), "Beat 3");
  assert.equal(titleOf(beat(3, 1, 1, 1, { title: { en: "The trick", "zh-Hans": "诀窍" } })), "The trick");
});

test("a beat is as wide as its name, and more by the root of its steps; together they fill the axis", () => {
  words.learn("en", { texts: { "beat.test": "Beat {number}" }, sources: {} });
  const { segments, setting } = beatAxis(PLAN.beats, 40, 24, 1256);
  assert.equal(setting, 0, "short names stand in one line");
  const last = segments[2];
  assert.ok(Math.abs((last?.x ?? 0) + (last?.width ?? 0) - 1256) < 0.01);
  const [short, long] = segments;
  assert.ok((long?.width ?? 0) > (short?.width ?? 0) && (long?.width ?? 0) < 7 * (short?.width ?? 0), "26 steps are not 6 times as wide as 4");
  assert.equal(beatAxis(PLAN.beats, 90, 0, 500).segments[2]?.last, 90, "what grows belongs to the last beat");
});

test("names that do not fit are set in more lines before they become smaller", () => {
  const named = (title: string): Beat[] => Array.from({ length: 9 }, (_, place) => beat(place + 1, place + 1, place + 1, place + 1, { title: { en: title, "zh-Hans": title } }));
  assert.equal(beatAxis(named("Records are stored"), 9, 24, 1256).setting, 1);
  assert.equal(beatAxis(named("p1 finds the coordinator of its transactional id again"), 9, 24, 1256).setting, defaults.settings.length - 1);
  assert.deepEqual([1256, 776].map((right) => beatAxis(named("commitTransaction() returns"), 9, 24, right).fits), [true, false]);
});

test("the beat in which a guarantee is first broken has room for its mark", () => {
  const beats = Array.from({ length: 9 }, (_, place) => beat(place + 1, place + 1, place + 1, place + 1, { title: { en: "p1 is paused", "zh-Hans": "" } }));
  const [plain, marked] = [[], [6]].map((broken) => beatAxis(beats, 9, 24, 1256, broken).segments[5]?.width ?? 0);
  assert.ok((marked ?? 0) > (plain ?? 0) + 10);
});

test("where names have three lines, the rest of the width brings some of them to two", () => {
  const titles = ["The leader refuses a batch: a sequence number is missing", ...Array.from({ length: 8 }, () => "The coordinator refuses an old epoch")];
  const beats = titles.map((title, place) => beat(place + 1, place + 1, place + 1, place + 1, { title: { en: title, "zh-Hans": title } }));
  const inThree = Array.from({ length: 60 }, (_, at) => beatAxis(beats, 9, 24, 1000 + 10 * at)).filter(({ setting }) => setting === 4).map(({ segments }) => segments.map(({ width }) => width));
  const [least, most] = [inThree[0] ?? assert.fail(), inThree.at(-1) ?? assert.fail()];
  const grown = most.map((width, place) => width - (least[place] ?? 0));
  assert.equal(defaults.settings[4]?.lines, 3);
  assert.ok(Math.max(...grown) > 2 * Math.min(...grown), grown.join());
});

test("behind many beats, those before a change have their numbers alone, and leave the room to what came of it", () => {
  const named = (kept: boolean) => Array.from({ length: 15 }, (_, at) => beat(at + 1, at + 1, at + 1, at + 1, { title: { en: "p1 resends the same batch", "zh-Hans": "" }, ...(kept && at < 9 ? { kept: true } : {}) }));
  const { segments } = beatAxis(named(true), 15, 24, 1256);
  assert.ok((segments[0]?.width ?? 99) < 40 && (segments[14]?.width ?? 0) > 100);
  assert.ok((beatAxis(named(false), 15, 24, 1256).segments[14]?.width ?? 99) < 90);
});

test("plumbing is passed by quickly; other steps stand as long as they take to read", () => {
  words.learn("en", { texts: { "test.step": "x", "test.long": "A sentence of some forty letters, or so. Another.", "test.longest": "A sentence of some forty letters, or so; ".repeat(9) }, sources: {} });
  const plan: BeatPlan = { ...PLAN, beats: [beat(1, 1, 9, 9, { lines: [{ first: 2, last: 4, key: "beat.line.one", params: {} }] })] };
  assert.deepEqual([1, 2, 4, 5].map((number) => plumbingAround(plan, number)), [0, 3, 3, 0]);
  const at = (number: number, key: string) => ({ frame: { step: step(number, 0, [], { key }), plan } }) as unknown as PlayerStore;
  assert.equal(standsFor(at(3, "test.long"), 1), playing.plumbing);
  const search: BeatPlan = { ...PLAN, beats: [beat(1, 1, 99, 99, { lines: [{ first: 2, last: 81, key: "beat.line.one", params: {} }] })] };
  const during = { frame: { step: step(40, 0, [], { key: "test.long" }), plan: search } } as unknown as PlayerStore;
  assert.equal(standsFor(during, 1) * 80, 80 * playing.least, "80 steps that only repeat a search do not hold up the story");
  assert.ok(standsFor(at(5, "test.long"), 1) > standsFor(at(5, "test.step"), 1));
  assert.equal(standsFor(at(5, "test.long"), 2) * 2, standsFor(at(5, "test.long"), 1));
  assert.equal(standsFor(at(5, "test.step"), 1), playing.shortest);
  assert.equal(standsFor(at(9, "test.longest"), 1), playing.longest);
  assert.equal(standsFor(at(5, "test.longest"), 1), playing.between, "between two landings a long sentence is glanced at");
  assert.equal(standsFor(at(5, "test.long"), 8), 125);
});

async function open(made: number, stops: number[] = [], holds: number[] = []) {
  const frames = new Frames();
  const source = new StoredSource({ main: makeRun(60) }, [branch("main", made)]);
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 0 } });
  store.gate = { waitsIn: (_branch, from, to) => stops.find((stop) => stop >= from && stop <= to) ?? null, coming: () => null, blocked: () => void (store.gate = null) };
  store.stops = { holdsAt: (number) => holds.includes(number) };
  store.start();
  await frames.settle();
  const walk = new BeatWalk(store, () => PLAN);
  const forward = async (): Promise<number> => {
    const going = walk.forward();
    for (let turn = 0; turn < 40; turn += 1) await frames.settle();
    await going;
    await frames.settle();
    return store.shown;
  };
  return { store, walk, forward, frames };
}

test("a press goes to the next beat and makes the steps that are missing", async () => {
  const { store, walk, forward, frames } = await open(3);
  assert.equal(await forward(), 2);
  assert.equal(await forward(), 9);
  assert.equal(store.frame?.animate, true, "the landing moves, and nothing on the way");
  walk.back();
  await frames.settle();
  assert.equal(store.shown, 2);
});

test("an address that names a later step opens there, or says where the run ends", async () => {
  const openAt = async (asked: number, stops: number[] = []) => {
    const { store, walk, frames } = await open(3, stops);
    const going = goToAsked(store, walk, asked);
    for (let turn = 0; turn < 40; turn += 1) await frames.settle();
    const notice = await going;
    await frames.settle();
    return [store.shown, notice];
  };
  assert.deepEqual(await openAt(2), [0, null], "the page is there already");
  assert.deepEqual(await openAt(41), [41, null]);
  assert.deepEqual(await openAt(41, [6]), [5, null], "a question comes first");
  assert.deepEqual(await openAt(99_999), [60, { key: "player.asked.far", params: { asked: 99_999, step: 60 } }]);
});

test("it stops before a question, and says so where one is due at once", async () => {
  const { store, forward } = await open(40, [6]);
  await forward();
  assert.equal(await forward(), 5);
  assert.equal(await forward(), 5);
  assert.equal(store.gate, null, "the one who pressed got the answer");
});

test("it stops where a breakpoint holds", async () => {
  const { forward } = await open(40, [], [7]);
  await forward();
  assert.equal(await forward(), 7);
  assert.equal(await forward(), 9);
});

test("Chinese names end their lines between words, and inside of one only where there is no room for that", () => {
  assert.deepEqual(piecesOf("p1 的 1 条记录已写入", "marks"), ["p1 ", "的 ", "1 条记录已写入"]);
  const named = (name: string, count: number): Beat[] => Array.from({ length: count }, (_, index) => ({ ...(PLAN.beats[0] as Beat), first: index + 1, last: index + 1, title: { en: name, "zh-Hans": name } }));
  assert.equal(beatAxis(named("决定之前隐藏：t-0、t-1", 4), 4, 24, 800).breaks, "marks");
  assert.deepEqual([1000, 480].map((right) => beatAxis(named("读取已提交的消费者继续等待", 9), 9, 24, right).breaks), ["words", "anywhere"]);
});

test("on a bar without names a change moves no beat before it", () => {
  const kept: Beat[] = PLAN.beats.map((one) => ({ ...one, kept: true }));
  assert.deepEqual(namelessAxis(kept, 40, 16, 374).segments, namelessAxis(PLAN.beats, 40, 16, 374).segments);
  const last = PLAN.beats.slice(2);
  const widths = [kept, PLAN.beats].map((beats) => beatAxis([...beats.slice(0, 2), ...last], 40, 24, 1256).segments[0]?.width);
  assert.notEqual(widths[0], widths[1], "beside names, they show their numbers alone");
});

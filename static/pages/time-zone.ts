/** Stores the browser's time zone in a cookie: the site reads and shows the times of assignments in it. */

const YEAR_SECONDS = 365 * 24 * 3600;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// The zone has only letters, digits and `_+-/`, so nothing in it needs to be escaped in a cookie.
if (zone && !document.cookie.split("; ").includes(`time_zone=${zone}`)) {
  document.cookie = `time_zone=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

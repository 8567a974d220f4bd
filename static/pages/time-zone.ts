/** Stores the browser's time zone in a cookie: the site reads and shows the times of assignments in it. */

const YEAR_SECONDS = 365 * 24 * 3600;
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

// Letters, digits and `_+-/` only: nothing that a cookie would need escaped.
if (zone && !document.cookie.split("; ").includes(`time_zone=${zone}`)) {
  document.cookie = `time_zone=${zone}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
}

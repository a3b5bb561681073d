// Figures as texts.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

const units = ["B", "KB", "MB", "GB", "TB"];

export const count = (value) => whole.format(value);

/** A rate: one digit after the point where there are few. */
export const rate = (value) => (value > 0 && value < 10 ? short.format(value) : whole.format(value));

export function bytes(value) {
  let unit = 0;
  let rest = value;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit++;
  }
  return `${unit === 0 ? whole.format(rest) : short.format(rest)} ${units[unit]}`;
}

export const percent = (share) => `${whole.format(share * 100)} %`;

export const milliseconds = (value) => (value > 0 ? `${short.format(value)} ms` : "–");

export const seconds = (value) => `${short.format(value)} s`;

/** The time of day, of a text or of milliseconds since 1970. */
export const time = (when) => clock.format(new Date(when));

/** "a, b, c and 4 more". */
export function list(names, most = 5, total = names.length) {
  const shown = names.slice(0, most).join(", ");
  const rest = total - Math.min(most, names.length);
  return rest > 0 ? `${shown} and ${whole.format(rest)} more` : shown;
}

/** The formats of strings that are validated. All patterns take linear time. */
import { isIPv4, isIPv6 } from 'node:net';

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
}

/** RFC 3339: with a zone. The second 60 is valid only at the end of a day in UTC. */
function isTime(text: string): boolean {
  const match = time.exec(text);
  if (match === null) return false;
  const [hour, minute, second, zoneHour, zoneMinute] = [1, 2, 3, 5, 6].map((index) =>
    Number(match[index] ?? 0),
  );
  if (hour === undefined || minute === undefined || second === undefined) return false;
  if (zoneHour === undefined || zoneMinute === undefined || zoneHour > 23 || zoneMinute > 59) return false;
  if (hour > 23 || minute > 59) return false;
  if (second <= 59) return true;
  const offset = (zoneHour * 60 + zoneMinute) * (match[4] === '-' ? -1 : 1);
  const utc = (hour * 60 + minute - offset + 2880) % 1440;
  return second === 60 && utc === 1439;
}

function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[t ]/i.test(text.slice(10)) && isTime(text.slice(11));
}

/** Each format by its name in the description, with its name in messages. */
export const formats = {
  date: { name: 'a date such as 2026-01-31', matches: isDate },
  'date-time': { name: 'a moment such as 2026-01-31T12:00:00Z', matches: isDateTime },
  time: { name: 'a time such as 12:00:00Z', matches: isTime },
  uuid: {
    name: 'a UUID',
    matches: (text: string) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  },
  email: { name: 'an e-mail address', matches: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text) },
  ipv4: { name: 'an IPv4 address', matches: (text: string) => isIPv4(text) },
  ipv6: { name: 'an IPv6 address', matches: (text: string) => isIPv6(text) && !text.includes('%') },
  uri: { name: 'a URI', matches: (text: string) => /^[a-z][a-z\d+.-]*:\S*$/i.test(text) },
} as const;

export type Format = keyof typeof formats;

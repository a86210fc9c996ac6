/** The time of the database in SQL of MySQL and MariaDB: milliseconds since 1970. */

/** Of UTC: the hour at the end of daylight saving time exists twice in the time zone of a session. */
export const mysqlNow = "(timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000)";

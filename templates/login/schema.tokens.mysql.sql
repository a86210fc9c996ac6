CREATE TABLE account (
  id integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
  email varchar(254) NOT NULL UNIQUE,
  name varchar(80) NOT NULL,
  password_hash varchar(255) NOT NULL,
  locked boolean NOT NULL DEFAULT false,
  created timestamp NOT NULL DEFAULT current_timestamp
);

-- The refresh tokens of a log-in are a family; one of them is unused. `hash` is the SHA-256, so the table cannot be used to log in.
CREATE TABLE refresh_token (
  hash char(64) NOT NULL PRIMARY KEY,
  account_id integer NOT NULL,
  family char(36) NOT NULL,
  created timestamp NOT NULL DEFAULT current_timestamp,
  used datetime NULL,
  ends datetime NOT NULL,
  FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);

CREATE INDEX refresh_token_family ON refresh_token (family);
CREATE INDEX refresh_token_ends ON refresh_token (ends);

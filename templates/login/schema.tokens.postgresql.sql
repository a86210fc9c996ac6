CREATE TABLE account (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email varchar(254) NOT NULL UNIQUE,
  name varchar(80) NOT NULL,
  password_hash varchar(255) NOT NULL,
  locked boolean NOT NULL DEFAULT false,
  created timestamptz NOT NULL DEFAULT now()
);

-- The refresh tokens of a log-in are a family; one of them is unused. `hash` is the SHA-256, so the table cannot be used to log in.
CREATE TABLE refresh_token (
  hash char(64) PRIMARY KEY,
  account_id integer NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  family uuid NOT NULL,
  created timestamptz NOT NULL DEFAULT now(),
  used timestamptz,
  ends timestamptz NOT NULL
);

CREATE INDEX refresh_token_account ON refresh_token (account_id);
CREATE INDEX refresh_token_family ON refresh_token (family);
CREATE INDEX refresh_token_ends ON refresh_token (ends);

CREATE TABLE account (
  id integer NOT NULL AUTO_INCREMENT PRIMARY KEY,
  email varchar(254) NOT NULL UNIQUE,
  verified boolean NOT NULL DEFAULT false,
  name varchar(80) NOT NULL,
  password_hash varchar(255) NOT NULL,
  locked boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created timestamp NOT NULL DEFAULT current_timestamp
);

-- A row for each log-in, valid while `version` is that of its account. `key_hash` is the SHA-256 of the cookie, so the table cannot be used
-- to log in.
CREATE TABLE session (
  key_hash char(64) NOT NULL PRIMARY KEY,
  account_id integer NOT NULL,
  version integer NOT NULL,
  created timestamp NOT NULL DEFAULT current_timestamp,
  ends datetime NOT NULL,
  FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);

CREATE INDEX session_ends ON session (ends);

-- The links of mails for a new password, each valid while `version` is that of its account. `key_hash` is the SHA-256 of the key.
CREATE TABLE password_link (
  key_hash char(64) NOT NULL PRIMARY KEY,
  account_id integer NOT NULL,
  version integer NOT NULL,
  ends datetime NOT NULL,
  FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);

CREATE INDEX password_link_ends ON password_link (ends);

-- The links of mails that confirm addresses, each valid while `email` is the address of its account.
CREATE TABLE address_link (
  key_hash char(64) NOT NULL PRIMARY KEY,
  account_id integer NOT NULL,
  email varchar(254) NOT NULL,
  ends datetime NOT NULL,
  FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);

CREATE INDEX address_link_ends ON address_link (ends);

-- Invitations to sign up, which `account_id` has sent to `email`. `key_hash` is the SHA-256 of the key.
CREATE TABLE invitation (
  key_hash char(64) NOT NULL PRIMARY KEY,
  account_id integer NOT NULL,
  email varchar(254) NOT NULL,
  ends datetime NOT NULL,
  FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE
);

CREATE INDEX invitation_ends ON invitation (ends);

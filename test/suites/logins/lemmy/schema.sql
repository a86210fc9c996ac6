CREATE TYPE registration_mode_enum AS ENUM ('Closed', 'RequireApplication', 'Open');
CREATE TABLE local_site (
  id serial PRIMARY KEY,
  require_email_verification boolean NOT NULL DEFAULT false,
  registration_mode registration_mode_enum NOT NULL DEFAULT 'RequireApplication'
);
CREATE TABLE person (
  id serial PRIMARY KEY,
  name varchar(255) NOT NULL,
  banned boolean NOT NULL DEFAULT false,
  deleted boolean NOT NULL DEFAULT false
);
CREATE TABLE local_user (
  id serial PRIMARY KEY,
  person_id int NOT NULL UNIQUE REFERENCES person,
  password_encrypted text NOT NULL,
  email text UNIQUE,
  email_verified boolean NOT NULL DEFAULT false,
  accepted_application boolean NOT NULL DEFAULT false,
  admin boolean NOT NULL DEFAULT false
);
CREATE TABLE login_token (
  token text PRIMARY KEY,
  user_id int NOT NULL REFERENCES local_user ON UPDATE CASCADE ON DELETE CASCADE,
  published timestamptz NOT NULL DEFAULT now(),
  ip text,
  user_agent text
);

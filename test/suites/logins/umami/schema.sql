CREATE TABLE "user" (
  user_id uuid PRIMARY KEY,
  username varchar(255) NOT NULL UNIQUE,
  password varchar(60) NOT NULL,
  role varchar(50) NOT NULL,
  created_at timestamptz(6) DEFAULT now(),
  deleted_at timestamptz(6)
);
CREATE TABLE team (
  team_id uuid PRIMARY KEY,
  name varchar(50) NOT NULL,
  logo_url varchar(2183),
  deleted_at timestamptz(6)
);
CREATE TABLE team_user (
  team_user_id uuid PRIMARY KEY,
  team_id uuid NOT NULL REFERENCES team (team_id),
  user_id uuid NOT NULL REFERENCES "user" (user_id),
  role varchar(50) NOT NULL
);

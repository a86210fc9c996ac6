CREATE TABLE user (
  id varchar(36) NOT NULL PRIMARY KEY,
  name varchar(255) NOT NULL,
  email varchar(255) NOT NULL UNIQUE,
  encrypted_password binary(60),
  login_attempts int NOT NULL DEFAULT 0,
  last_login datetime,
  num_projects_created int NOT NULL DEFAULT 0
);
CREATE TABLE project_client (
  id varchar(36) NOT NULL PRIMARY KEY,
  name varchar(255) NOT NULL,
  role enum('admin', 'editor', 'viewer') NOT NULL DEFAULT 'viewer',
  encrypted_secret binary(60) NOT NULL
);

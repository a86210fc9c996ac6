CREATE TABLE users (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  email varchar(191),
  password varchar(191) NOT NULL,
  permissions text,
  activated tinyint(1) NOT NULL DEFAULT 0,
  last_login timestamp NULL,
  first_name varchar(191),
  last_name varchar(191),
  locale varchar(10) DEFAULT 'en-US',
  employee_num text,
  jobtitle varchar(191),
  username varchar(191),
  deleted_at timestamp NULL
);
CREATE TABLE oauth_access_tokens (
  id varchar(100) NOT NULL PRIMARY KEY,
  user_id bigint unsigned,
  client_id bigint unsigned NOT NULL,
  name varchar(191),
  scopes text,
  revoked tinyint(1) NOT NULL,
  created_at timestamp NULL,
  updated_at timestamp NULL,
  expires_at datetime,
  INDEX (user_id)
);
CREATE TABLE sessions (
  id varchar(191) NOT NULL PRIMARY KEY,
  user_id bigint unsigned,
  ip_address varchar(45),
  user_agent text,
  last_activity int NOT NULL,
  INDEX (user_id)
);

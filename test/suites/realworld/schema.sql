-- `id` is the claim `sub` of tokens; `password` is a hash.
CREATE TABLE person (
  id text PRIMARY KEY DEFAULT gen_random_uuid(),
  username text NOT NULL UNIQUE,
  email text NOT NULL UNIQUE,
  password text NOT NULL,
  bio text,
  image text
);

CREATE TABLE follow (
  follower_id text NOT NULL REFERENCES person (id),
  followed_id text NOT NULL REFERENCES person (id),
  PRIMARY KEY (follower_id, followed_id)
);

CREATE TABLE article (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author_id text NOT NULL REFERENCES person (id),
  slug text NOT NULL UNIQUE GENERATED ALWAYS AS (btrim(regexp_replace(lower(title), '[^a-z0-9]+', '-', 'g'), '-') || '-' || id) STORED,
  title text NOT NULL,
  description text NOT NULL,
  body text NOT NULL,
  tag_list text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE favorite (
  article_id integer NOT NULL REFERENCES article (id) ON DELETE CASCADE,
  person_id text NOT NULL REFERENCES person (id),
  PRIMARY KEY (article_id, person_id)
);

CREATE TABLE comment (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  article_id integer NOT NULL REFERENCES article (id) ON DELETE CASCADE,
  author_id text NOT NULL REFERENCES person (id),
  body text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE VIEW article_details AS
  SELECT article.*, username, bio, image,
    (SELECT count(*) FROM favorite WHERE article_id = article.id) AS favorites_count,
    ARRAY(SELECT tag FROM unnest(tag_list) AS tag ORDER BY tag) AS sorted_tags
  FROM article JOIN person ON person.id = author_id;

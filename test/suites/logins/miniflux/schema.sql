CREATE TYPE entry_sorting_direction AS ENUM ('asc', 'desc');
CREATE TYPE entry_sorting_order AS ENUM ('published_at', 'created_at');
CREATE TYPE webapp_display_mode AS ENUM ('fullscreen', 'standalone', 'minimal-ui', 'browser');
CREATE TABLE users (
  id serial PRIMARY KEY,
  username text NOT NULL UNIQUE,
  password text,
  is_admin boolean DEFAULT false,
  language text DEFAULT 'en_US',
  timezone text DEFAULT 'UTC',
  theme text DEFAULT 'light_serif',
  last_login_at timestamptz,
  entry_direction entry_sorting_direction DEFAULT 'asc',
  entry_order entry_sorting_order DEFAULT 'published_at',
  keyboard_shortcuts boolean DEFAULT true,
  entries_per_page int DEFAULT 100,
  show_reading_time boolean DEFAULT true,
  entry_swipe boolean DEFAULT true,
  stylesheet text NOT NULL DEFAULT '',
  custom_js text NOT NULL DEFAULT '',
  external_font_hosts text NOT NULL DEFAULT '',
  google_id text NOT NULL DEFAULT '',
  openid_connect_id text NOT NULL DEFAULT '',
  gesture_nav text DEFAULT 'tap',
  display_mode webapp_display_mode DEFAULT 'standalone',
  default_reading_speed int DEFAULT 265,
  cjk_reading_speed int DEFAULT 500,
  default_home_page text DEFAULT 'unread',
  categories_sorting_order text NOT NULL DEFAULT 'unread_count',
  media_playback_rate numeric DEFAULT 1,
  block_filter_entry_rules text NOT NULL DEFAULT '',
  keep_filter_entry_rules text NOT NULL DEFAULT '',
  mark_read_on_view boolean DEFAULT true,
  mark_read_on_media_player_completion boolean DEFAULT false,
  always_open_external_links boolean DEFAULT false,
  open_external_links_in_new_tab boolean DEFAULT true
);
CREATE TABLE api_keys (
  id serial PRIMARY KEY,
  user_id int NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token text NOT NULL UNIQUE,
  description text NOT NULL,
  last_used_at timestamptz,
  created_at timestamptz DEFAULT now(),
  UNIQUE (user_id, description)
);
CREATE TABLE web_sessions (
  id text PRIMARY KEY,
  secret_hash bytea NOT NULL,
  user_id int REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  user_agent text NOT NULL DEFAULT '',
  ip inet,
  state jsonb NOT NULL DEFAULT '{}'
);

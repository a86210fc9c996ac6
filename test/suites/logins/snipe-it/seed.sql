INSERT INTO users (email, password, activated, first_name, last_name, username, jobtitle) VALUES
  ('snipe@example.com', '$2y$10$pLmNsAsVH7Sbl6lYp9B4C.mRLm8/hqTI.M4JFWFC.lSRNNSmzbd3q', 1, 'Alison', 'Gianotto', 'snipe', 'Owner'),
  ('former@example.com', '$2y$10$LAlY0oxK9UCOLVRtTJtyeeR0AIC9DQzpLrFPfWiJ1rRuZ2gHakHCe', 0, 'Former', 'User', 'former', NULL);

/** Column names of public schemas: hidden, reported as doubtful, or neither. */
import { expect, test } from 'vitest';
import { secrecyOf } from '../../compiler/tools/init/tables/secret-columns.js';

/** `table.column` if the table matters. */
const names = {
  /** From listmonk, Vaultwarden, Devise, Laravel, Supabase, NextAuth, Cal.com, ASP.NET Identity, Mastodon and payment tables. */
  secret: `
    twofa_key password_hash password password2 passwd user_pass pass smtp_password encrypted_password hashed_password passwordhash
    userPassword PasswordHash master_password_hash password_salt salt password_history password_hint reset_password_key
    reset_password_token password_reset_token password_reset_code
    totp_secret totp_recover encryptedTOTPSecret otp_secret otp_secret_key encrypted_otp_secret encrypted_otp_secret_iv
    encrypted_otp_secret_salt otp_backup_codes otp_code otp twoFactorSecret two_factor_secret two_factor_recovery_codes
    twofactor_remember mfa_secret mfa_recovery_codes mfa_code two_fa_secret tfa_secret twofa_code
    recovery_codes recovery_code backupCodes backup_codes scratch_codes access_code verification_code activation_code confirmation_code
    invite_code invitation_code login_code sms_code security_code auth_code device_code user_code pairing_code unlock_code
    recovery_token confirmation_token confirmation_token_hash email_change_token_new email_change_token_current
    phone_change_token reauthentication_token email_new_token remember_token unlock_token refresh_token access_token id_token
    sessionToken push_token device_token auth_token authToken verification_token unsubscribe_token magic_link_token login_token_hash
    token token_hash enctoken webhook_token api_token apiToken
    api_key apikey api_key_hash apiKey API_KEY access_key secret_key private_key privateKey privkey signing_key encryption_key
    master_key session_key activation_key auth_key key_encrypted client_secret webhook_secret signing_secret shared_secret secret
    secret_access_key aws_secret_access_key secret_answer security_answer SecurityStamp security_stamp
    nonce sso_authenticated_nonce_hash code_verifier code_response sso_auth.code_response csrf_token jwt cookie cookies bearer
    credit_card creditcard credit_card_number card_number cardNumber cc_number card_cvc cvv cvc ssn pin pin_code
    credentials credential db_password database_password connection_string seed_phrase recovery_phrase mnemonic
    twofactor.data user_password.hash UserPassword.hash Credential.key api_keys.key auth_tokens.value passwords.value
    client_key vapid_private_key hmac_secret smtp_pass ftp_pwd wifi_psk admin_pw access_tokens refresh_tokens hotp_counter_secret
    pswd passwrd userpwd upass bindpw recovery_code_hashes social_security_number key_pem keystore
    kennwort senha contraseña mot_de_passe wachtwoord heslo hasło пароль ski_pass_token
  `,
  /** Hidden unless they are keys in the schema. */
  likely: `
    akey enc_key license_key hash_key wrapped_key recovery_key vault_key unlock_key join_key stream_key
    session_id sessionId session_data sess sid sessid link_hash login_hash verify_hash reset_hash activation_hash
    jsessionid phpsessid
  `,
  doubtful: `
    key hash user_key seed verifier challenge user_key_pair.key ssh_key gpg_key deploy_key device_key webhook_url database_url dsn iban
    account_number bank_account passport_number national_id tax_id voucher_code gift_code promo_code referral_code
    security_question stamp_exception path_tokens tokens fingerprint p256dh
    email_code remember_me redis_url u2f_data
  `,
  public: `
    id uuid name email username title status created_at updated_at body note description url slug locale time_zone
    twofa_type twofa_enabled two_factor_enabled two_factor_confirmed_at mfa_enabled mfa_method otp_required_for_login consumed_timestep
    password_iterations password_iter password_changed_at passwordUpdatedAt password_automatically_set_at password_expires_at
    remember_created_at reset_password_sent_at confirmation_sent_at email_confirmed_at failed_attempts locked_at
    hide_password hide_passwords has_password is_password_set show_token require_password
    api_key_id apiKeyId access_key_id token_type token_expires_at tokenExpiresAt expires_at token_id token_count secret_name
    public_key publicKey ssh_public_key publishable_key public_token
    idempotency_key external_key cache_key sort_key partition_key object_key storage_key s3_key file_key primary_key foreign_key
    translation_key message_key setting_key option_key meta_key customer_key order_key date_key group_key lookup_key routing_key
    dedup_key project_key issue_key natural_key
    content_hash file_hash payload_hash commit_hash tx_hash block_hash url_hash ip_hash request_hash image_hash previous_hash
    country_code postal_code zip_code currency_code status_code error_code language_code product_code code airline_code color_code
    bar_code area_code event_code
    monkey turkey hockey donkey keyword keywords passenger passengers compass bypass secretary tokenizer pinned pin_color spinner shipping
    opinion author authority authorId authored_at session session_count session_title card_brand card_last4 card_type card_holder
    account_id account_name client_kdf_type client_kdf_iter avatar_color external_id data value
    nonces_used_count sign_count concurrency_stamp_id state signature address hashtag hashed_at salted_caramel accessed_at access_count
    codec mac_address score basalt_id tokenized_at scope
    hotkey boarding_pass season_pass ski_pass hall_pass key_stage hash_rate session_year pinot_noir otp_enabled
  `,
};

test.each(Object.entries(names))('names that are %s', (secrecy, list) => {
  const wrong = list
    .trim()
    .split(/\s+/)
    .flatMap((name) => {
      const [column = '', table] = name.split('.').reverse();
      const found = secrecyOf(column, table);
      return found === secrecy ? [] : [`${name}: ${found}`];
    });
  expect(wrong).toEqual([]);
});

test('a name is in one list, and all lists together are long', () => {
  const all = Object.values(names).flatMap((list) => list.trim().split(/\s+/));
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  expect(all.length).toBeGreaterThan(300);
});

/** Tables with their hidden columns. */
const schemas = {
  listmonk: {
    users:
      'id username password! email name avatar type user_role_id list_role_id status loggedin_at twofa_type twofa_key!',
    subscribers: 'id uuid email name attribs status created_at',
    campaigns:
      'id uuid name subject from_email body content_type send_at headers tags messenger archive_slug archive_meta',
  },
  Vaultwarden: {
    attachments: 'id cipher_uuid file_name file_size akey!',
    ciphers: 'uuid user_uuid atype name notes fields data password_history! reprompt',
    devices: 'uuid user_uuid name atype push_uuid push_token! refresh_token! twofactor_remember!',
    organizations: 'uuid name billing_email private_key! public_key',
    sends:
      'uuid name notes data akey! password_hash! password_salt! password_iter max_access_count access_count',
    twofactor: 'uuid user_uuid atype enabled data! last_used',
    twofactor_duo_ctx: 'state user_email nonce! exp',
    users: `uuid email email_new email_new_token! name password_hash! salt! password_iterations password_hint! akey! private_key! public_key
      totp_secret! totp_recover! security_stamp! equivalent_domains client_kdf_type client_kdf_iter api_key! avatar_color external_id`,
    users_collections: 'user_uuid collection_uuid read_only hide_passwords',
    users_organizations: 'uuid user_uuid akey! status reset_password_key! external_id',
    organization_api_key: 'uuid org_uuid atype api_key! revision_date',
    sso_nonce: 'state nonce! verifier redirect_uri',
    sso_auth:
      'state client_challenge nonce! redirect_uri code_response! auth_response! created_at updated_at',
    emergency_access: 'uuid grantor_uuid email key_encrypted! status wait_time_days',
    auth_requests: `uuid user_uuid request_device_identifier device_type request_ip access_code! public_key enc_key! master_password_hash!
      approved creation_date`,
  },
};

test.each(Object.entries(schemas))(
  'all columns of tables of %s',
  (_, tables: Readonly<Record<string, string>>) => {
    for (const [table, columns] of Object.entries(tables)) {
      const expected = columns.split(/\s+/);
      const found = expected.map((column) => {
        const name = column.replace('!', '');
        return ['secret', 'likely'].includes(secrecyOf(name, table)) ? `${name}!` : name;
      });
      expect(found.join(' ')).toBe(expected.join(' '));
    }
  },
);

/** Estimates from a column's name whether its values are secrets. */
import { wordSet } from '../../../read/wordset.js';

/**
 * - `secret`: the value grants access, or is derived from one that does
 * - `likely`: the same, unless the column is a key in the schema: `license_key`, but not a `customer_key` that others refer to
 * - `doubtful`: a secret in some schemas; the user decides
 */
export type Secrecy = 'secret' | 'likely' | 'doubtful' | 'public';

/** `of`: the name of the table, which decides whether `data` and `hash` may be secrets. */
export function secrecyOf(name: string, of = ''): Secrecy {
  const all = wordsOf(name);
  if (factVerbs.has(all[0] ?? '') || all.some((word) => openWords.has(word))) return 'public';
  const words = [...all];
  while (words.length > 1 && modifiers.has(words.at(-1) ?? '')) words.pop();
  if (all.at(-1) === 'pass' && passOf.has(all.at(-2) ?? '')) return 'public';
  if (endsIn(words, secretEnds) || endsIn(all, secretEnds)) return 'secret';
  if (endsIn(words, sessionEnds)) return 'likely';
  if (all.length > 1 && doubtfulEnds.has(all.slice(-2).join(''))) return 'doubtful';
  const [last = '', before = ''] = all.toReversed();
  if (facts.has(last) || all.some((word) => factWords.has(word))) return 'public';
  if (hasGrantedCode(words) || all.some((word) => secretWords.has(word))) return 'secret';
  if (/two(?:factor|fa|step)/.test(all.join('')) || (all.length > words.length && encryption.has(last)))
    return 'secret';
  if (all.length === 1 && generic.has(last) && isTableOfSecrets(of)) return 'secret';
  if (words.at(-1) === 'key' && words.length > 1) return secrecyOfKey(words.at(-2) ?? '');
  if (last === 'hash' && all.length > 1) return hashed.has(before) ? 'public' : 'likely';
  return endsIn(words, doubtfulEnds) || all.some((word) => doubtfulWords.has(word)) ? 'doubtful' : 'public';
}

/** Whether the last word, or the last two words joined, are in the set. */
function endsIn(words: readonly string[], ends: ReadonlySet<string>): boolean {
  return ends.has(words.at(-1) ?? '') || ends.has(words.slice(-2).join(''));
}

function isTableOfSecrets(name: string): boolean {
  const words = wordsOf(name).map((word) => word.replace(/(?<=\p{L}{2})s$/u, ''));
  return words.some(
    (word, index) => secretTables.has(word) || secretTables.has(`${words[index - 1] ?? ''}${word}`),
  );
}

/** Whether even a number in a column with this name is a secret: `pin`, `card_number`, but not `access_token_lifetime`. */
export function isSecretNumber(name: string): boolean {
  const words = wordsOf(name);
  return endsIn(words, numbers) || hasGrantedCode(words);
}

/**
 * Splits names: `apiKey`, `api_key` and `APIKey` into `api`, `key`; `usertoken` into `user`, `token`; `password2` becomes `password`.
 * Plurals are kept.
 */
function wordsOf(name: string): string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => word.replace(/(?<=\p{L}{3})\d+$/u, '') || [])
    .flatMap(unglued);
}

/** Splits `passwordhash` into `password`, `hash`. */
function unglued(word: string): string[] {
  const [, first = '', end = ''] =
    /^(.+?)(password|passwd|pwd|token|secret|hash|key|code|number|id|data)$/.exec(word) ?? [];
  const isGlued =
    end.length > 4 ||
    ((end === 'key' || end === 'hash') && !keyWords.has(word)) ||
    /^(?:session|sess|token|api|otp|pin|pass)$/.test(first);
  return first === '' || !isGlued || whole.has(word) ? [word] : [...unglued(first), end];
}

/** Whole words that end like another word. */
const keyWords = wordSet('monkey turkey hotkey hockey jockey whiskey donkey rehash slash key hash');
const whole = wordSet('passcode pincode');

/** First words of names of facts about a secret: `hide_passwords`, `has_token`. */
const factVerbs = wordSet(
  'is has hide show use uses require requires allow allows can must force needs no should max min num last',
);

const openWords = wordSet('public publishable pub');

/** Last words after which a secret remains a secret: `token_hash`, `email_change_token_new`. */
const modifiers = wordSet(`
  hash hashes hashed digest salt encrypted enc crypt ciphertext cipher plain plaintext raw old new current previous prev last iv b64 base64 hex
  value string text bytes blob tag json backup list array first second temp tmp history
`);

const encryption = wordSet('encrypted ciphertext crypt cipher');

const secretEnds = wordSet(`
  password passwords passwd passwrd pswd passphrase passcode pass pwd pw psk salt secret secrets token credential credentials pin pincode otp
  totp hotp cvv cvc ssn jwt bearer nonce csrf xsrf hmac mnemonic authorization cookie cookies privkey keystore pem
  userpwd upass bindpw passwort kennwort senha contraseña contrasena motdepasse depasse wachtwoord heslo hasło haslo lösenord пароль

  apikey apikeys appkey accesskey accesskeys authkey authkeys secretkey secretkeys privatekey privatekeys clientkey signingkey
  encryptionkey sessionkey resetkey activationkey masterkey serverkey hmackey authtokens accesstokens refreshtokens apitokens
  appid securitystamp securityanswer secretanswer recoveryphrase seedphrase secretphrase magiclink connectionstring connstr

  cardnumber cardnum creditcard ccnumber ccnum cardpan securitynumber codeverifier coderesponse authresponse
`);

/** Last words of names of facts about a secret: `token_expires_at`, `password_iterations`, `api_key_id`. */
const facts = wordSet(`
  id ids uuid at on date time expires expiry expiration expire exp expired count counts attempts attempt tries type kind name enabled
  required verified confirmed length iterations iteration iter rounds algorithm algo alg status version url uri link path prefix brand
  provider issuer scope scopes policy created updated used sent seconds minutes hours days ttl lifetime limit format size label method
  methods strength changed reset failures fails validity timestep state endpoint audience description comment note title order position
  parallelism memory symbol address supply contract contracts usage budget cost price holder owner user username email
`);

const factWords = wordSet('required enabled disabled verified confirmed expires failed');

const secretWords = wordSet(`
  password passwd pwd passphrase secret token totp otp hotp 2fa tfa mfa twofa twofactor credential credentials encrypted ciphertext csrf xsrf
  mnemonic cvv ssn
`);

/** Words before `pass` that make it a ticket or a place, whose value is a kind or a number. */
const passOf = wordSet(
  'boarding season ski lift gate hall day week month bus rail train travel event festival lounge parking museum',
);

/** Words before `code` that make it grant something: `access_code`, `recovery_codes`, a device's `user_code`. */
const granting = wordSet(`
  access recovery recover verification verify confirm confirmation activation activate auth authorization authorisation authentication
  login signin sms security reset backup invite invitation unlock pairing challenge magic device user pin otp onetime scratch
  emergency door gate entry lock registration enrollment enrolment join secret validation
`);

function hasGrantedCode(words: readonly string[]): boolean {
  const index = words.findIndex((word) => word === 'code' || word === 'codes');
  return index === words.length - 1 && granting.has(words[index - 1] ?? '');
}

const numbers = wordSet('pin otp cvv cvc ssn passcode pincode cardnumber cardnum ccnumber creditcard');

const sessionEnds = wordSet('sessionid sessid sid sessiondata sessdata sess jsessionid phpsessid');

/** Names that are only secret in a table of secrets. */
const generic = wordSet('key hash value data code content body payload digest');

const secretTables = wordSet(
  'password credential secret token twofactor 2fa mfa otp totp apikey accesskey vault',
);

/** Words before `key` that make it the key of a row, an object or a string. */
const keyOf = wordSet(`
  foreign primary natural sort partition object storage s3 file blob cache idempotency idempotent external surrogate business lookup search
  group grouping translation i18n l10n locale message config setting option meta registry order customer routing dedup dedupe
  deduplication unique range parent issue project event image photo avatar icon thumbnail attribute attr field column record item entity
  row template feature flag metric job task queue lock resource category type name map host rate bucket path url slug page menu node
  dimension date time supplier part nation region store employee account country currency language correlation aggregation topic alias
  operation workflow process definition answer question form step stage status state tag role permission rule report chart widget index
  param parameter property variable data value
`);

const doubtfulKeys = wordSet('ssh gpg pgp deploy product player user member device site team tenant');

function secrecyOfKey(before: string): Secrecy {
  if (keyOf.has(before)) return 'public';
  return doubtfulKeys.has(before) ? 'doubtful' : 'likely';
}

/** Contents whose hash is not a secret. */
const hashed = wordSet(`
  content file payload commit tx txn transaction block url uri ip request image git row body email phone geo schema query source page text
  document media tree parent previous prev blob data object state config build asset key perceptual address record message audit event
`);

const doubtfulEnds = wordSet(`
  key hash keys tokens auth seed dsn verifier challenge fingerprint iban pan accountnumber routingnumber bankaccount nationalid
  taxid passport passportnumber driverslicense webhookurl databaseurl vouchercode giftcode couponcode promocode referralcode
  sharecode emailcode rememberme redisurl mongourl mongodburl amqpurl brokerurl joinlink resetlink invitelink securityquestion secretquestion p256dh passhint
`);

const doubtfulWords = wordSet('u2f stamp webhook passport iban credentialid');

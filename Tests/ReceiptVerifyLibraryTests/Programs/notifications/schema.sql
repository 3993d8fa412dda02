PRAGMA journal_mode = WAL;

-- Each notification once, with its exact body.
CREATE TABLE IF NOT EXISTS notification (
    uuid TEXT PRIMARY KEY, type TEXT NOT NULL, subtype TEXT, signed INTEGER NOT NULL, body TEXT NOT NULL
) STRICT;

-- The version of each purchase that the store has signed last. All times are milliseconds since 1970.
CREATE TABLE IF NOT EXISTS purchase (
    environment TEXT, id TEXT, original_id TEXT NOT NULL, product TEXT, type TEXT, account TEXT,
    purchased INTEGER NOT NULL, expires INTEGER, revoked INTEGER, signed INTEGER NOT NULL, payload TEXT NOT NULL,
    PRIMARY KEY (environment, id)
) STRICT;
CREATE INDEX IF NOT EXISTS purchase_original ON purchase (environment, original_id, purchased);

-- The same for what the store will do at the end of a subscription's period.
CREATE TABLE IF NOT EXISTS renewal (
    environment TEXT, original_id TEXT, renews INTEGER, grace_ends INTEGER, signed INTEGER NOT NULL,
    payload TEXT NOT NULL, PRIMARY KEY (environment, original_id)
) STRICT;

-- What a customer has now: the rows whose "until" is in the future, or NULL for a product without an end.
CREATE VIEW IF NOT EXISTS entitlement AS
SELECT environment, account, product, original_id, max(expires, ifnull(grace_ends, expires)) AS until
FROM purchase LEFT JOIN renewal USING (environment, original_id)
WHERE revoked IS NULL AND type <> 'Consumable' AND NOT EXISTS (
    SELECT 1 FROM purchase AS later
    WHERE (later.environment, later.original_id) = (purchase.environment, purchase.original_id)
        AND later.purchased > purchase.purchased);

-- An endpoint inserts the body and the result of verify-receipt here: all changes are one transaction.
CREATE VIEW IF NOT EXISTS delivery AS SELECT NULL AS body, NULL AS result WHERE false;
CREATE TRIGGER IF NOT EXISTS record INSTEAD OF INSERT ON delivery BEGIN
    INSERT INTO notification
    SELECT p ->> 'notificationUUID', p ->> 'notificationType', p ->> 'subtype',
        CAST(ifnull(p ->> 'signedDate', 0) AS INTEGER), new.body
    FROM (SELECT new.result -> 'payload' AS p) WHERE true
    ON CONFLICT DO NOTHING;

    INSERT INTO purchase
    SELECT coalesce(value ->> 'environment', new.result ->> 'environment', 'unknown'), p ->> 'transactionId',
        p ->> 'originalTransactionId', p ->> 'productId', p ->> 'type', p ->> 'appAccountToken',
        CAST(p ->> 'purchaseDate' AS INTEGER), CAST(p ->> 'expiresDate' AS INTEGER),
        CAST(p ->> 'revocationDate' AS INTEGER), CAST(p ->> 'signedDate' AS INTEGER), p
    FROM (SELECT value, value -> 'payload' AS p FROM json_each(new.result, '$.nested'))
    WHERE value ->> 'kind' = 'transaction' AND value ->> 'verdict' = 'verified'
    ON CONFLICT DO UPDATE SET (product, type, account, expires, revoked, signed, payload) =
        (excluded.product, excluded.type, excluded.account, excluded.expires, excluded.revoked, excluded.signed,
         excluded.payload)
    WHERE excluded.signed > signed;

    INSERT INTO renewal
    SELECT coalesce(value ->> 'environment', new.result ->> 'environment', 'unknown'), p ->> 'originalTransactionId',
        p ->> 'autoRenewStatus', CAST(p ->> 'gracePeriodExpiresDate' AS INTEGER),
        CAST(p ->> 'signedDate' AS INTEGER), p
    FROM (SELECT value, value -> 'payload' AS p FROM json_each(new.result, '$.nested'))
    WHERE value ->> 'kind' = 'renewalInfo' AND value ->> 'verdict' = 'verified'
    ON CONFLICT DO UPDATE SET (renews, grace_ends, signed, payload) =
        (excluded.renews, excluded.grace_ends, excluded.signed, excluded.payload)
    WHERE excluded.signed > signed;
END;

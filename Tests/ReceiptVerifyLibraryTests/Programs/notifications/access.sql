SELECT product FROM entitlement
WHERE environment = 'Production' AND account = ? AND ifnull(until > unixepoch() * 1000, true);

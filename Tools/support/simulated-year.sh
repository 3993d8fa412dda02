# The commands that lead a simulated store through a year, for Tools/interoperability. Sourced.
#
# simulated_year TOOL FILE creates a store in the folder local-store, with the products of a .storekit file. In the year, its
# customers cause every kind of transaction, renewal info and notification that the simulator knows; the array
# year_contents lists what must occur. The commands are as in HowTheStoreBehaves.md of the target LocalStore.

# shellcheck shell=bash
# shellcheck disable=SC2034  # used by the script that sources this file
year_contents=(
    transaction.type={Consumable,Non-Consumable,"Non-Renewing Subscription","Auto-Renewable Subscription"}
    transaction.transactionReason={PURCHASE,RENEWAL}
    transaction.inAppOwnershipType={PURCHASED,FAMILY_SHARED}
    transaction.offerType={1,2,3,4}
    transaction.offerDiscountType={FREE_TRIAL,PAY_AS_YOU_GO,PAY_UP_FRONT}
    transaction.revocationType={REFUND_FULL,REFUND_PRORATED,FAMILY_REVOKE}
    transaction.revocationReason={0,1}
    transaction.revocationPercentage={25000,33333,100000}
    transaction.quantity=4 transaction.isUpgraded=True transaction.appAccountToken
    transaction.billingPlanType={BILLED_UPFRONT,MONTHLY}
    transaction.commitmentInfo.billingPeriodNumber={1,12}
    transaction.storefront={USA,DEU} transaction.currency={USD,EUR}
    renewalInfo.autoRenewStatus={0,1}
    renewalInfo.gracePeriodExpiresDate renewalInfo.isInBillingRetryPeriod={True,False}
    renewalInfo.priceIncreaseStatus={0,1}
    renewalInfo.expirationIntent={1,2,3}
    renewalInfo.offerType={2,3} renewalInfo.offerDiscountType renewalInfo.eligibleWinBackOfferIds
    renewalInfo.renewalBillingPlanType={BILLED_UPFRONT,MONTHLY}
    renewalInfo.commitmentInfo.commitmentAutoRenewStatus={0,1}
    renewalInfo.commitmentInfo.commitmentRenewalPrice
    notification.notificationType={SUBSCRIBED,DID_RENEW,DID_FAIL_TO_RENEW,EXPIRED,GRACE_PERIOD_EXPIRED}
    notification.notificationType={DID_CHANGE_RENEWAL_PREF,DID_CHANGE_RENEWAL_STATUS,OFFER_REDEEMED,PRICE_INCREASE}
    notification.notificationType={REFUND,REFUND_DECLINED,REFUND_REVERSED,CONSUMPTION_REQUEST,REVOKE,ONE_TIME_CHARGE}
    notification.subtype={INITIAL_BUY,RESUBSCRIBE,UPGRADE,DOWNGRADE,AUTO_RENEW_ENABLED,AUTO_RENEW_DISABLED}
    notification.subtype={VOLUNTARY,BILLING_RETRY,BILLING_RECOVERY,GRACE_PERIOD,PRICE_INCREASE,PENDING,ACCEPTED}
    notification.data.status={1,2,3,4,5}
)

simulated_year() {
    local tool=$1 file=$2 app=com.example.app
    store() { "$tool" "$@" --quiet >>year.txt; }
    store init "$file" --bundle-id "$app" --seed 7 --start 2024-01-15T12:00:00Z
    store settings grace-period=16
    local name
    for name in ben child; do store accounts add "$name" home; done
    for name in anna carla dora emil fay gil; do store accounts add "$name"; done

    # January: an introductory offer, a stackable code, a commitment, a family.
    store buy "$app.coins" -a fay --quantity 4 --token 7e3fb20b-4cdb-47cc-936d-99d65f608138
    store buy "$app.season" -a fay
    store buy "$app.lifetime" -a ben
    store buy "$app.pro.yearly" -a ben
    store buy "$app.pro.yearly" -a carla --billing-plan monthly
    store buy "$app.pro.monthly" -a anna
    store buy "$app.pro.monthly" -a dora --code FRIENDS
    store buy "$app.pro.monthly" -a emil
    store buy "$app.basic.weekly" -a gil
    store advance P1M

    # February: refunds of every kind, an upgrade and a downgrade, price increases.
    store refund "$app.coins" -a fay --request
    store refund "$app.coins" -a fay --decline
    store refund "$app.coins" -a fay --quantity 1
    store refund "$app.season" -a fay --percentage 33.333
    store buy "$app.lifetime" -a fay
    store refund "$app.lifetime" -a fay --reason issue
    store refund "$app.lifetime" -a fay --reverse
    store buy "$app.coins" -a fay
    store refund "$app.coins" -a fay
    store cancel "$app.pro.monthly" -a anna
    store resume "$app.pro.monthly" -a anna
    store change-plan "$app.pro.monthly" "$app.pro.yearly" -a anna
    store change-plan "$app.pro.monthly" "$app.basic.weekly" -a dora
    store raise-price "$app.pro.monthly" 5.99 -a emil
    store raise-price "$app.pro.monthly" -a emil --consent
    store raise-price "$app.basic.weekly" 1.99 -a gil
    store advance P1M

    # March: gil did not consent and comes back with a promotional offer. Payments of dora fail, and recover in the grace
    # period; those of emil fail until the subscription expires.
    store buy "$app.pro.monthly" -a gil --offer stay
    store raise-price "$app.pro.monthly" 6.99 -a gil --without-consent
    store fail "$app.basic.weekly" -a dora
    store fail "$app.pro.monthly" -a emil
    store advance P8D
    store fail "$app.basic.weekly" -a dora --recover
    store change-plan "$app.basic.weekly" "$app.pro.monthly" -a dora
    store advance P3M

    # June: a family is left and joined again, and its subscription is refunded. emil returns with a win-back offer.
    store accounts leave child
    store accounts join child home
    store refund "$app.pro.yearly" -a ben
    store buy "$app.pro.monthly" -a emil --win-back comeback
    store settings storefront=DEU
    store buy "$app.pro.monthly" -a ben --code FRIENDS
    store buy "$app.coins" -a ben
    store advance P3M

    # September: carla cancels within the commitment, and dora for the next renewal. gil stays for an offer.
    store cancel "$app.pro.yearly" -a carla
    store cancel "$app.pro.monthly" -a dora
    store buy "$app.pro.monthly" -a gil --offer stay
    store advance 2025-01-15T12:00:00Z
}

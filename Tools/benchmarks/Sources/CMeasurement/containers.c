#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "measurement.h"

static PKCS7 *read_container(const uint8_t *der, size_t count) {
    PKCS7 *container = d2i_PKCS7(NULL, &der, (long)count);
    if (container != NULL && PKCS7_type_is_signed(container)) return container;
    PKCS7_free(container);
    return NULL;
}

static X509_STORE *trust(const raw_certificate *root, int64_t time) {
    const unsigned char *bytes = root->der;
    X509 *certificate = d2i_X509(NULL, &bytes, (long)root->count);
    X509_STORE *store = X509_STORE_new();
    if (store != NULL && certificate != NULL && X509_STORE_add_cert(store, certificate) == 1) {
        X509_VERIFY_PARAM *rules = X509_STORE_get0_param(store);
        X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_ANY);
        X509_VERIFY_PARAM_set_auth_level(rules, 0);
        X509_VERIFY_PARAM_set_time(rules, (time_t)time);
    } else {
        X509_STORE_free(store);
        store = NULL;
    }
    X509_free(certificate);
    return store;
}

int raw_verify_container(
    const uint8_t *der, size_t der_count, const raw_certificate *root, int64_t time, size_t count
) {
    X509_STORE *store = trust(root, time);
    int done = store != NULL;
    for (size_t i = 0; done && i < count; i++) {
        PKCS7 *container = read_container(der, der_count);
        BIO *content = BIO_new(BIO_s_mem());
        done = container != NULL && content != NULL
            && PKCS7_verify(container, NULL, store, NULL, content, PKCS7_BINARY) == 1;
        BIO_free(content);
        PKCS7_free(container);
    }
    X509_STORE_free(store);
    return done;
}

int raw_verify_content(const uint8_t *der, size_t der_count, size_t count) {
    PKCS7 *container = read_container(der, der_count);
    if (container == NULL) return 0;
    const ASN1_OCTET_STRING *content = container->d.sign->contents->d.data;
    const ASN1_OCTET_STRING *signature =
        sk_PKCS7_SIGNER_INFO_value(PKCS7_get_signer_info(container), 0)->enc_digest;
    EVP_PKEY *key = X509_get0_pubkey(sk_X509_value(container->d.sign->cert, 0));
    int done = key != NULL;
    for (size_t i = 0; done && i < count; i++) {
        EVP_MD_CTX *context = EVP_MD_CTX_new();
        done = context != NULL && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key) == 1
            && EVP_DigestVerify(
                context, ASN1_STRING_get0_data(signature), (size_t)ASN1_STRING_length(signature),
                ASN1_STRING_get0_data(content), (size_t)ASN1_STRING_length(content)
            ) == 1;
        EVP_MD_CTX_free(context);
    }
    PKCS7_free(container);
    return done;
}

#include "rc_internal.h"

rc_status rc_pem_next(
    const uint8_t *text, size_t count, size_t *offset, char *label, size_t label_capacity, rc_bytes **out
) {
    if (*offset > count || !rc_fits_int(count) || label_capacity == 0) return RC_UNSUPPORTED;
    RC_BEGIN;
    BIO *bio = BIO_new_mem_buf(text + *offset, (int)(count - *offset));
    rc_status status = RC_NO_MEMORY;
    if (bio != NULL) {
        char *name = NULL, *header = NULL;
        unsigned char *data = NULL;
        long data_count = 0;
        if (PEM_read_bio(bio, &name, &header, &data, &data_count) == 1) {
            *offset = count - BIO_ctrl_pending(bio);
            OPENSSL_strlcpy(label, name, label_capacity);
            status = rc_bytes_copy(data, (size_t)data_count, out);
        } else {
            status = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? RC_NO : RC_MALFORMED;
        }
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_clear_free(data, data_count > 0 ? (size_t)data_count : 0);
        BIO_free(bio);
    }
    RC_END;
    return status;
}

internal import PreviewServer
internal import ReceiptTypes

/// The addresses of the shop.
enum ShopRoutes {
    static func routes(_ shop: PreviewShop) -> [Route] {
        [
            .get("/") { request in
                .html(ShopPage(items: await shop.items(), position: request.latestEventID).html)
            },
            .file("/shop.js", contentType: "text/javascript; charset=utf-8", [UInt8](ShopFiles.script.utf8)),
            .file("/shop.css", contentType: "text/css; charset=utf-8", [UInt8](ShopFiles.style.utf8)),
            .post("/purchases") { request in
                guard let product = request.target.query["product"] else {
                    return .refusal(.badRequest, "The query needs a product.")
                }
                guard let outcome = await shop.buy(product) else {
                    return .refusal(.notFound, "The shop does not have this product.")
                }
                let object: JSONObject = ["outcome": .string(outcome)]
                return .json(object.description)
            },
            .events("/events"),
        ]
    }
}

/** The metadata of NFTs: mostly JSON, sometimes in other formats. */
import type { Collection, NftState } from "../Ledger.ts"
import { digest, numberFor } from "./Digest.ts"
import type { JsonDocument } from "./HttpMessage.ts"

const colors = ["amber", "cobalt", "jade", "ochre", "rose", "slate"]
const rocks = ["basalt", "chalk", "flint", "granite", "marble", "shale"]

type NftRef = Pick<NftState, "tokenId">

const identity = (collection: Collection, { tokenId }: NftRef) => [collection.address, String(tokenId)]

const imageUri = (collection: Collection, nft: NftRef): string =>
  `https://nft.sandbox.invalid/${collection.address}/${nft.tokenId}.png`

export const tokenUri = (collection: Collection, nft: NftRef): string =>
  `https://nft.sandbox.invalid/${collection.address}/${nft.tokenId}.json`

const describe = (collection: Collection, nft: NftRef) => {
  const seed = identity(collection, nft)
  return {
    name: `${collection.name} #${nft.tokenId}`,
    description: `One of the stones of ${collection.name}.`,
    image: imageUri(collection, nft),
    external_url: `https://nft.sandbox.invalid/${collection.address}/${nft.tokenId}`,
    attributes: [
      { trait_type: "Colour", value: colors[numberFor(colors.length, "colour", ...seed)] ?? null },
      { trait_type: "Rock", value: rocks[numberFor(rocks.length, "rock", ...seed)] ?? null },
      { trait_type: "Weight", value: numberFor(1000, "weight", ...seed), display_type: "number" }
    ]
  }
}

/** Returns JSON, plain text, null, or JSON that is encoded twice. */
export const metadataOf = (collection: Collection, nft: NftRef): string | null => {
  const text = JSON.stringify(describe(collection, nft))
  switch (numberFor(12, "metadata", ...identity(collection, nft))) {
    case 0:
      return "This stone has not been cut yet."
    case 1:
      return null
    case 2:
      return JSON.stringify(text)
    default:
      return text
  }
}

/** Returns normalized metadata. All fields are null if the metadata is not JSON. */
export const normalizedMetadataOf = (collection: Collection, nft: NftRef): JsonDocument => {
  const text = metadataOf(collection, nft)
  const hasJson = text !== null && /^["{]/.test(text)
  const { attributes, description, external_url, image, name } = describe(collection, nft)
  return {
    name: hasJson ? name : null,
    description: hasJson ? description : null,
    image: hasJson ? image : null,
    external_link: hasJson ? external_url : null,
    animation_url: null,
    attributes: hasJson
      ? attributes.map((attribute) => ({
        display_type: null,
        ...attribute,
        max_value: null,
        trait_count: 0,
        order: null
      }))
      : []
  }
}

/** Returns preview images in three sizes. */
export const mediaOf = (collection: Collection, nft: NftRef): JsonDocument => {
  const image = imageUri(collection, nft)
  const size = (name: string, pixels: number) => ({
    width: pixels,
    height: pixels,
    url: image.replace(/\.png$/, `-${name}.png`)
  })
  return {
    mimetype: "image/png",
    category: "image",
    status: "success",
    original_media_url: image,
    parent_hash: `0x${digest("media", ...identity(collection, nft))}`,
    media_collection: { low: size("low", 100), medium: size("medium", 250), high: size("high", 500) }
  }
}

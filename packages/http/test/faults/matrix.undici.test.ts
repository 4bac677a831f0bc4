import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Matrix from "./support/Matrix.ts"

Matrix.suite("the undici client", NodeHttpClient.layerUndici)

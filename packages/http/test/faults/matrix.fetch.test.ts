import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Matrix from "./support/Matrix.ts"

Matrix.suite("fetch", FetchHttpClient.layer)

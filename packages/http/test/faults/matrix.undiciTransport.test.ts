import * as UndiciTransport from "@blockquarry/http/UndiciTransport"
import * as Layer from "effect/Layer"
import * as Matrix from "./support/Matrix.ts"

Matrix.suite("UndiciTransport", Layer.orDie(UndiciTransport.layer))

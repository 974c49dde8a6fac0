// SPDX-License-Identifier: Apache-2.0
// Short names for what the server's document describes.
import type { components } from "./openapi";

type Schemas = components["schemas"];

export type ModelAnswer = Schemas["ModelAnswer"];
export type SchemaAnswer = Schemas["SchemaAnswer"];
export type Feature = Schemas["FeatureView"];
export type People = Schemas["People"];
export type PersonView = Schemas["PersonView"];
export type Person = Schemas["Person"];
export type RecordOf = Schemas["Record"];
export type Question = Schemas["Question"];
export type NoiseQuestion = Schemas["Noise"];
export type FeatureLimit = Schemas["FeatureLimit"];
export type Answer = Schemas["Answer"];
export type Row = Schemas["Row"];
export type Words = Schemas["Words"];
export type Step = Schemas["Step"];
export type Preview = Schemas["Preview"];
export type CertificateEvent = Schemas["CertificateEvent"];
export type TradeoffQuestion = Schemas["TradeoffQuestion"];
export type TradeoffPoint = Schemas["TradeoffPoint"];
export type CloudQuestion = Schemas["CloudQuestion"];
export type Cloud = Schemas["Cloud"];
export type CompareQuestion = Schemas["CompareQuestion"];
export type Comparison = Schemas["Comparison"];
export type Compared = Schemas["Compared"];
export type VerifyQuestion = Schemas["VerifyQuestion"];
export type Verification = Schemas["Verification"];
export type Verified = Schemas["Verified"];
export type ProblemAnswer = Schemas["Problem"];

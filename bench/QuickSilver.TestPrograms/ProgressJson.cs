using System.Text.Json.Serialization;

namespace QuickSilver.TestPrograms;

/// <summary>JSON of the progress lines, one object a line, written by generated code.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(ProgressReport))]
internal sealed partial class ProgressJson : JsonSerializerContext;

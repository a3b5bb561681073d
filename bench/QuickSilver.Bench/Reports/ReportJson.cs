using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver.Bench.Reports;

/// <summary>JSON of the reports, written by generated code.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    WriteIndented = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(ScenarioReport))]
internal sealed partial class ReportJson : JsonSerializerContext
{
    /// <summary>Writes a report to a file, whole or not at all.</summary>
    public static void Write(string path, ScenarioReport report)
    {
        string unfinished = path + ".tmp";
        File.WriteAllText(unfinished, JsonSerializer.Serialize(report, Default.ScenarioReport) + "\n");
        File.Move(unfinished, path, overwrite: true);
    }
}

using System.Text.Json;
using System.Text.Json.Serialization;

namespace QuickSilver.TestPrograms;

/// <summary>JSON of the reports, written by generated code.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    WriteIndented = true,
    NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals)]
[JsonSerializable(typeof(ProgramReport))]
internal sealed partial class ReportJson : JsonSerializerContext
{
    /// <summary>Writes a report to a file, whole or not at all.</summary>
    public static void Write(string path, ProgramReport report)
    {
        string unfinished = path + ".tmp";
        File.WriteAllText(unfinished, JsonSerializer.Serialize(report, Default.ProgramReport) + "\n");
        File.Move(unfinished, path, overwrite: true);
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    public static ProgramReport Read(string path) =>
        JsonSerializer.Deserialize(File.ReadAllText(path), Default.ProgramReport)
            ?? throw new InvalidDataException($"{path} holds no report");
}

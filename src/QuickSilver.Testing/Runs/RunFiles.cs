using System.Globalization;

namespace QuickSilver.Testing.Runs;

/// <summary>Runs in files.</summary>
internal static class RunFiles
{
    /// <summary>Name of the variable that says where failing runs are saved.</summary>
    public const string DirectoryVariable = "QUICKSILVER_RUNS";

    /// <summary>Where failing runs are saved: as the environment says, else in the folder for temporary
    /// files.</summary>
    public static string Folder =>
        Environment.GetEnvironmentVariable(DirectoryVariable) is { Length: > 0 } folder
            ? folder
            : Path.Combine(Path.GetTempPath(), "quicksilver-runs");

    /// <summary>Saves a run and what came of it.</summary>
    /// <param name="spec">The run.</param>
    /// <param name="result">What came of it.</param>
    /// <param name="folder">Where; null: <see cref="Folder"/>.</param>
    /// <param name="suffix">Added to the name, before its extension.</param>
    /// <returns>Path of the file.</returns>
    /// <exception cref="IOException">It cannot be written.</exception>
    public static string Save(RunSpec spec, RunResult result, string? folder = null, string suffix = "")
    {
        ArgumentNullException.ThrowIfNull(spec);
        ArgumentNullException.ThrowIfNull(result);
        string directory = folder ?? Folder;
        Directory.CreateDirectory(directory);
        string outcome = result.Violation?.Invariant ?? "clean";
        string path = Path.Combine(
            directory, string.Create(CultureInfo.InvariantCulture, $"{outcome}-{spec.Options.Seed}{suffix}.json"));
        var saved = new SavedRun
        {
            Spec = spec,
            Violation = result.Violation,
            Trace = result.Trace.ToString("x16", CultureInfo.InvariantCulture)
        };
        File.WriteAllText(path, RunJson.Write(saved));
        return path;
    }

    /// <summary>Reads a run.</summary>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="System.Text.Json.JsonException">It is not a run.</exception>
    public static SavedRun Load(string path) => RunJson.Read(File.ReadAllText(path));

    /// <summary>The one command that executes a saved run again.</summary>
    public static string ReplayCommand(string path) =>
        $"dotnet run -c Release --project bench/QuickSilver.Simulator -- replay {path}";
}

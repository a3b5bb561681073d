using Microsoft.Extensions.Configuration;
using QuickSilver.Hosting;

namespace QuickSilver.Cli.Arguments;

/// <summary>Reads the options of a node from a JSON file, as a service does: its section "QuickSilver".</summary>
internal static class SettingsFile
{
    private const string SectionName = "QuickSilver";

    // A service's file may register groups beside the options of its node.
    private static readonly HashSet<string> Others = new(NodeRegistration.Sections, StringComparer.OrdinalIgnoreCase);

    /// <summary>Reads a file into options.</summary>
    /// <exception cref="CommandFailure">The file is missing, is no JSON, has no such section, or has mistakes: all of
    /// them are listed.</exception>
    public static void Read(string path, QuickSilverOptions options)
    {
        IConfigurationSection section;
        try
        {
            section = new ConfigurationBuilder().AddJsonFile(Path.GetFullPath(path), optional: false).Build()
                .GetSection(SectionName);
        }
        catch (Exception fault) when (fault is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            string cause = fault.InnerException is { } inner ? $"{fault.Message} {inner.Message}" : fault.Message;
            throw CommandFailure.WrongArguments($"--settings: {cause}");
        }
        if (!section.Exists())
            throw CommandFailure.WrongArguments($"--settings: '{path}' has no section \"{SectionName}\".");
        var findings = new List<string>(SectionBinder.Bind(section, options, Others));
        if (SectionBinder.TextInPlaceOfKeys(section) is { } text) findings.Add(text);
        if (findings.Count > 0)
            throw CommandFailure.WrongArguments(
                $"--settings: '{path}' has mistakes:{Environment.NewLine}"
                + string.Join(Environment.NewLine, findings.Select(static one => "  " + one)));
    }
}

using System.Text.Json;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Reads the run that a command line names.</summary>
internal static class SavedRunFile
{
    /// <summary>The exit code when there is no run to work on.</summary>
    public const int Unusable = 2;

    /// <summary>Reads a run; says in one line why it cannot.</summary>
    public static bool TryLoad(string path, out SavedRun saved)
    {
        saved = new SavedRun();
        try
        {
            saved = RunFiles.Load(path);
            return true;
        }
        catch (JsonException wrong)
        {
            string line = wrong.LineNumber is { } number ? $", line {number + 1}" : "";
            Console.Error.WriteLine($"{path}{line}: {FirstSentence(wrong.Message)}");
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            Console.Error.WriteLine(failure.Message);
        }
        return false;
    }

    // The place follows in the words of the parser, and counts lines from 0.
    private static string FirstSentence(string message)
    {
        int end = message.IndexOf(" Path:", StringComparison.Ordinal);
        return end < 0 ? message : message[..end];
    }
}

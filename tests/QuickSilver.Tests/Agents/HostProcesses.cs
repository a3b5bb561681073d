using System.Diagnostics;
using System.Globalization;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Tests.Agents;

/// <summary>The processes in the namespaces of a test: found, killed, and waited for.</summary>
internal static class HostProcesses
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static void SkipWithoutNamespaces() => Assert.SkipUnless(
        NamespaceSet.CanMake, "networks are made of namespaces, by root on Linux with iproute2");

    public static async Task UntilAsync(Func<bool> isSo, ChildProcess? program)
    {
        long start = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Patience, $"in vain: {program?.LastLines}");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    public static string[] Namespaces() =>
        [.. NamespaceSet.Run(["ip", "netns", "list"]).Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Select(line => line.Split(' ')[0])];

    public static List<int> ProcessesOf(string name)
    {
        try
        {
            return [.. NamespaceSet.Run(["ip", "netns", "pids", name])
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(line => int.Parse(line, CultureInfo.InvariantCulture))];
        }
        catch (InvalidOperationException)
        {
            // It has just gone.
            return [];
        }
    }

    public static List<int> RolesOf(string name) => [.. ProcessesOf(name).Where(id => WordsOf(id).Contains("role"))];

    public static List<int> AgentsOf(string name) =>
        [.. ProcessesOf(name).Where(id => WordsOf(id).Contains("--listen"))];

    private static string[] WordsOf(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{id}/cmdline").Split('\0');
        }
        catch (IOException)
        {
            return [];
        }
    }

    public static bool IsAlive(int id) => WordsOf(id).Length > 1;

    public static void Kill(IEnumerable<int> ids)
    {
        foreach (int id in ids)
        {
            try
            {
                using var process = Process.GetProcessById(id);
                process.Kill();
            }
            catch (ArgumentException)
            {
                // It has just gone.
            }
        }
    }
}

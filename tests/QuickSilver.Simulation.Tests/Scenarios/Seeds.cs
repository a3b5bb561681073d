using System.Collections.Concurrent;
using System.Globalization;
using System.Text;

namespace QuickSilver.Simulation.Tests.Scenarios;

/// <summary>Runs many seeds on all processors, or the one that the environment asks for.</summary>
internal static class Seeds
{
    private const string Variable = "QUICKSILVER_SEED";
    private const int MostShown = 5;

    public static string Replay(ulong seed, string test) =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{Variable}={seed} dotnet test tests/QuickSilver.Simulation.Tests --filter \"FullyQualifiedName~{test}\"");

    /// <summary>The seeds of a sweep; a single one when <c>QUICKSILVER_SEED</c> is set.</summary>
    public static ulong[] Range(ulong first, int count)
    {
        string? only = Environment.GetEnvironmentVariable(Variable);
        if (ulong.TryParse(only, NumberStyles.None, CultureInfo.InvariantCulture, out ulong seed)) return [seed];
        return [.. Enumerable.Range(0, count).Select(index => first + (ulong)index)];
    }

    /// <summary>Runs every seed and fails with the messages of the first few that failed.</summary>
    public static void ForEach(ulong[] seeds, Action<ulong> run)
    {
        var failures = new ConcurrentDictionary<ulong, string>();
        Parallel.ForEach(seeds, new ParallelOptions { MaxDegreeOfParallelism = Environment.ProcessorCount }, seed =>
        {
            try
            {
                run(seed);
            }
            catch (Exception exception)
            {
                failures[seed] = exception.InnerException is null
                    ? exception.Message : $"{exception.Message}\n{exception.InnerException}";
            }
        });
        if (failures.IsEmpty) return;
        var text = new StringBuilder().Append(
            CultureInfo.InvariantCulture, $"{failures.Count} of {seeds.Length} seeds failed:");
        foreach ((ulong seed, string message) in failures.OrderBy(pair => pair.Key).Take(MostShown))
            text.Append(CultureInfo.InvariantCulture, $"\n  {seed}: {message}");
        Assert.Fail(text.ToString());
    }
}

using QuickSilver;
using QuickSilver.Testing;

namespace QuickStart;

/// <summary>The run, as the command line says it: the same in all processes.</summary>
internal sealed record Plan(int Groups, int Messages, int Size, int Subscribers, double Drop, int Port)
{
    /// <summary>A message begins with its time, its number in the group, and the group; one byte fills it.</summary>
    public const int HeadBytes = 20;

    public IEnumerable<string> GroupNames => Enumerable.Range(0, Groups).Select(static group => $"topic-{group}");

    public void Validate()
    {
        if (Math.Min(Groups, Messages) < 1 || Subscribers < 1) throw new ArgumentException("Nothing is to be done.");
        if (Size < HeadBytes) throw new ArgumentException($"--size is less than {HeadBytes}.");
        if (!(Drop is >= 0 and < 1)) throw new ArgumentException("--drop is not in [0, 1).");
    }

    public QuickSilverOptions NodeOptions(string name)
    {
        var options = new QuickSilverOptions { ClusterName = $"quickstart-{Port}", NodeName = name };
        options.Membership.Port = Port;
        options.Pending.MaxMessagesPerRegion = 5_000; // so few that the times are not those of a long queue
        bool drops = Drop > 0 && name.StartsWith("subscriber", StringComparison.Ordinal);
        if (drops) options.UseFaults(Drop, seed: (ulong)name[^1]);
        return options;
    }
}

using System.CommandLine;
using System.Globalization;
using QuickSilver.Protocol.Timed;
using QuickSilver.Simulator.Timed;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Draws the VE paper's Figures 6 to 9 again, and what lies beyond them: requests that are heard, messages
/// that replace others.</summary>
internal static class TimedVerb
{
    private const int All = 45;
    private const double LeastSaved = 0.8;

    public static Command Make()
    {
        var seed = new Option<ulong>("--seed") { Description = "Of all runs.", DefaultValueFactory = _ => 1 };
        var seconds = new Option<int>("--seconds")
        { Description = "How long each run sends, in virtual time.", DefaultValueFactory = _ => 5 };
        var command = new Command(
            "timed",
            "The VE paper's figures 6 to 9 for timed groups, and the requests that superseding saves: at least 80 %.")
        {
            seed,
            seconds,
        };
        command.SetAction(parsed =>
        {
            var length = TimeSpan.FromSeconds(parsed.GetValue(seconds));
            ulong with = parsed.GetValue(seed);
            ManySenders(with, length);
            Errors(with, length);
            Sizes(with, length);
            Rates(with, length);
            return Superseding(with, length) >= LeastSaved ? 0 : 1;
        });
        return command;
    }

    private static void ManySenders(ulong seed, TimeSpan length)
    {
        Head("Figure 6: k of 45 members send 30 messages of 1 KiB a second", "senders", "kB/s a member", "share");
        foreach (int senders in (int[])[1, 5, 10, 20, 30, 45])
        {
            TimedFigures found = new TimedScene { Senders = senders, Length = length }.Run(seed);
            Row(senders, found.KilobytesPerSecond, found.Share);
        }
    }

    private static void Errors(ulong seed, TimeSpan length)
    {
        Head(
            "Figure 7: one sender, 30 a second; datagrams lost before they are sent (10 members)",
            "packets", "lost %", "messages/s a member", "sends a packet", "1/(1-p)", "mean age ms", "expired");
        foreach (int packets in (int[])[1, 10])
        {
            foreach (double loss in (double[])[0, 0.05, 0.1, 0.2, 0.3, 0.5])
            {
                var scene = new TimedScene { Nodes = 10, SenderLoss = loss, Bytes = packets * 1024, Length = length };
                TimedFigures found = scene.Run(seed);
                Row(
                    packets, loss * 100, found.PerMemberPerSecond * 10 / 9, found.SendsPerPacket, 1 / (1 - loss),
                    found.Age.TotalMilliseconds, found.Expired);
            }
        }
    }

    private static void Sizes(ulong seed, TimeSpan length)
    {
        Head("Figure 8: one sender, 30 messages a second of 1 to 80 KiB (10 members)", "KiB", "kB/s a member", "share");
        foreach (int size in (int[])[1, 10, 20, 40, 60, 80])
        {
            var settings = new TimedSettings { MaxMessageBytes = 128 << 10 };
            var scene = new TimedScene { Nodes = 10, Bytes = size * 1024, Length = length, Settings = settings };
            TimedFigures found = scene.Run(seed);
            Row(size, found.KilobytesPerSecond * 10 / 9, found.Share);
        }
    }

    private static void Rates(ulong seed, TimeSpan length)
    {
        Head("Figure 9: one sender, messages of 1 KiB, rate (10 members)", "messages/s", "delivered/s", "share");
        foreach (int rate in (int[])[50, 100, 200, 400, 800, 2_000])
        {
            TimedFigures found = new TimedScene { Nodes = 10, PerSecond = rate, Length = length }.Run(seed);
            Row(rate, found.PerMemberPerSecond * 10 / 9, found.Share);
        }
    }

    private static double Superseding(ulong seed, TimeSpan length)
    {
        Head(
            "Beyond: 45 members send positions, 30 a second each; every link loses 5 %",
            "objects each", "requests, superseding off", "on", "saved");
        double least = 1;
        foreach (int keys in (int[])[1, 4])
        {
            var scene = new TimedScene
            {
                Senders = All,
                Bytes = 64,
                Keys = keys,
                LinkLoss = 0.05,
                // Each object moves 30 times a second, whatever their number.
                PerSecond = 30 * keys,
                Length = length,
                Settings = new TimedSettings { Replaces = false },
            };
            ulong off = scene.Run(seed).Naks;
            ulong on = (scene with { Settings = new TimedSettings { LatestOnly = true } }).Run(seed).Naks;
            double saved = 1 - ((double)on / Math.Max(1, off));
            least = Math.Min(least, saved);
            Row(keys, off, on, saved);
        }
        return least;
    }

    private static void Head(string title, params string[] columns)
    {
        Console.WriteLine();
        Console.WriteLine(title);
        Console.WriteLine("| " + string.Join(" | ", columns) + " |");
        Console.WriteLine("|" + string.Concat(columns.Select(static _ => "---|")));
    }

    private static void Row(params double[] cells) =>
        Console.WriteLine(
            "| " + string.Join(" | ", cells.Select(static cell => cell.ToString("0.###", CultureInfo.InvariantCulture)))
            + " |");
}

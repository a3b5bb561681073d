using System.CommandLine;
using System.Globalization;
using QuickSilver.Simulator.Hop;
using QuickSilver.Testing.Sites;

namespace QuickSilver.Simulator.Verbs;

/// <summary>Redraws tables and figures of the third paper in virtual time, with the paper's values beside.</summary>
internal static class HopTablesVerb
{
    private const int Messages = 10_000;
    private const int Bytes = 1024;
    private const int Echoes = 200;

    private static readonly string[] Chain = ["Mae East", "UCSB", "OSU", "Rutgers", "CNDS", "Hopkins"];

    // The paper gives the first alone; the others stand in.
    private static readonly double[] RoundTrips = [104, 70, 30, 8, 1];
    private static readonly double[] Losses = [0, 0.05, 0.1, 0.2];

    public static Command Make()
    {
        var command = new Command(
            "hop-tables", "Tables 2 to 4 and figures 3 to 8 of the paper on Hop, in virtual time, as markdown.");
        command.SetAction(_ =>
        {
            RoundTripOfOneLink();
            ChainFrom("Figures 3 and 4", "Mae East", [.. Chain.Skip(1)]);
            ChainFrom("Figures 5 and 6", "Hopkins", [.. Chain.Reverse().Skip(1)]);
            Sizes();
            BackgroundTraffic();
            LossOfOneLink();
            LossOfTree();
            JitterOfOneLink();
            ParityOfOneLink();
            return 0;
        });
        return command;
    }

    private static List<(string First, string Second, WayModel Way)> ChainLinks(double loss = 0) =>
    [
        .. Enumerable.Range(0, RoundTrips.Length)
            .Select(index => (Chain[index], Chain[index + 1], WayOf(RoundTrips[index], loss))),
    ];

    // Ten megabits; jitter as that of the paper's pings, three percent.
    private static WayModel WayOf(double roundTrip, double loss = 0, double megabits = 10) => new()
    {
        Delay = TimeSpan.FromMilliseconds(roundTrip / 2),
        Jitter = TimeSpan.FromMilliseconds(roundTrip * 0.015),
        Loss = loss,
        Rate = megabits * 1_000_000 / 8,
    };

    private static IReadOnlyList<TimeSpan> PingOf(string from, string to, int bytes)
    {
        int first = Array.IndexOf(Chain, from), last = Array.IndexOf(Chain, to);
        var ways = Enumerable.Range(Math.Min(first, last), Math.Abs(last - first))
            .Select(static index => WayOf(RoundTrips[index]));
        return Ping.Run([.. first < last ? ways : ways.Reverse()], Echoes, bytes);
    }

    private static void RoundTripOfOneLink()
    {
        Head("Table 2: Mae East to UCSB, ms", "", "ping", "Hop", "paper: ping", "TCP", "Hop");
        IReadOnlyList<TimeSpan> ping = PingOf("Mae East", "UCSB", 64);
        IReadOnlyList<TimeSpan> hop = new HopWorld(ChainLinks()).Echo("Mae East", "UCSB", 30, 64);
        Row("min", Ms(ping.Min()), Ms(hop.Min()), "103.3", "108.9", "107.8");
        Row("mean", Ms(Mean(ping)), Ms(Mean(hop)), "104.1", "136.3", "108.5");
        Row("max", Ms(ping.Max()), Ms(hop.Max()), "106.8", "311.6", "110.9");
    }

    private static void ChainFrom(string title, string from, string[] others)
    {
        Head($"{title}: round trips from {from}, ms", "to", "ping", "Hop", "more", "spread of ping", "of Hop",
            "Hop at 1 % loss", "paper: Hop more, TCP more");
        var clear = new HopWorld(ChainLinks());
        var lossy = new HopWorld(ChainLinks(0.01));
        foreach (string to in others)
        {
            IReadOnlyList<TimeSpan> ping = PingOf(from, to, 64);
            IReadOnlyList<TimeSpan> hop = clear.Echo(from, to, Echoes, 64);
            Row(to, Ms(Mean(ping)), Ms(Mean(hop)), Percent((Mean(hop) / Mean(ping)) - 1),
                Ms(ping.Max() - ping.Min()), Ms(hop.Max() - hop.Min()), Ms(Mean(lossy.Echo(from, to, Echoes, 64))),
                from == "Mae East" ? "5 to 18 %, 38 to 66 %" : "falls with distance");
        }
    }

    private static void Sizes()
    {
        Head("Figure 7: round trips Mae East to Hopkins by size, ms", "bytes", "ping", "Hop", "more", "paper");
        var world = new HopWorld(ChainLinks());
        foreach (int bytes in (int[])[64, 256, 512, 1024, 1300])
        {
            TimeSpan ping = Mean(PingOf("Mae East", "Hopkins", bytes));
            TimeSpan hop = Mean(world.Echo("Mae East", "Hopkins", Echoes, bytes));
            Row(Text(bytes), Ms(ping), Ms(hop), Percent((hop / ping) - 1), "Hop by size alone");
        }
    }

    private static void BackgroundTraffic()
    {
        Head("Figure 8: round trips Mae East to Hopkins beside other traffic, ms", "kbit/s", "Hop", "at 1 % loss",
            "paper: Hop, TCP");
        foreach (int rate in (int[])[0, 100, 200, 300, 400])
        {
            IReadOnlyList<TimeSpan> clear =
                new HopWorld(ChainLinks()).Echo("Mae East", "Hopkins", Echoes, 64, rate * 1000.0);
            IReadOnlyList<TimeSpan> lossy =
                new HopWorld(ChainLinks(0.01)).Echo("Mae East", "Hopkins", Echoes, 64, rate * 1000.0);
            Row(Text(rate), Ms(Mean(clear)), Ms(Mean(lossy)),
                rate == 400 ? "nearly flat, some 1,500" : "nearly flat, climbs");
        }
    }

    private static void LossOfOneLink()
    {
        string[] paper = ["1.38 (100 %)", "1.27 (92 %)", "1.11 (81 %)", "0.995 (72 %)"];
        foreach (double megabits in (double[])[1.6, 10])
        {
            Head($"Table 3: one link of {Text(megabits)} Mbit/s and 104 ms, 10,000 messages of 1,024 bytes, Mbit/s",
                "loss", "Hop", "share", "share that arrives", "paper");
            double first = 0;
            for (int index = 0; index < Losses.Length; index++)
            {
                var world = new HopWorld([("Mae East", "UCSB", WayOf(104, Losses[index], megabits))]);
                double rate = world.Flood("Mae East", Messages, Bytes);
                if (index == 0) first = rate;
                Row(
                    Percent(Losses[index]), Mega(rate), Percent(rate / first), Percent(1 - Losses[index]),
                    paper[index]);
            }
        }
    }

    private static void LossOfTree()
    {
        string[] paper = ["2.20 (100 %)", "2.09 (95 %)", "1.81 (82 %)", "1.39 (63 %)"];
        Head("Table 4: a tree of six sites at 10 Mbit/s, 10,000 messages of 1,024 bytes from Mae East, Mbit/s",
            "loss of each link", "Hop", "share", "paper");
        double first = 0;
        for (int index = 0; index < Losses.Length; index++)
        {
            double loss = Losses[index];
            var world = new HopWorld(
            [
                ("Mae East", "UCSB", WayOf(104, loss)), ("Mae East", "Rutgers", WayOf(8, loss)),
                ("UCSB", "OSU", WayOf(70, loss)), ("Rutgers", "CNDS", WayOf(8, loss)),
                ("CNDS", "Hopkins", WayOf(1, loss)),
            ]);
            double rate = world.Flood("Mae East", Messages, Bytes);
            if (index == 0) first = rate;
            Row(Percent(loss), Mega(rate), Percent(rate / first), paper[index]);
        }
    }

    // No table of the paper: what a link does when datagrams overtake each other, and none is lost.
    private static void JitterOfOneLink()
    {
        Head("Jitter: one link of 10 Mbit/s and 104 ms that loses nothing, Mbit/s", "jitter, ms", "Hop", "sent again");
        foreach (int jitter in (int[])[0, 1, 3, 10, 30])
        {
            WayModel way = WayOf(104) with { Jitter = TimeSpan.FromMilliseconds(jitter) };
            var world = new HopWorld([("Mae East", "UCSB", way)]);
            double rate = world.Flood("Mae East", Messages, Bytes);
            Row(Text(jitter), Mega(rate), Percent(world.ResentShare("Mae East", "UCSB")));
        }
    }

    // No table of the paper: what parity spares, and what it costs.
    private static void ParityOfOneLink()
    {
        foreach (int rate in (int[])[0, 1000])
        {
            string beside = rate == 0 ? "alone" : $"beside {rate} kbit/s";
            Head(
                $"Parity: one link of 10 Mbit/s and 104 ms, 2,000 round trips of 64 bytes {beside}", "loss",
                "parity after", "mean, ms", "p99, ms", "max, ms", "bytes sent", "sent again");
            foreach (double loss in (double[])[0.01, 0.05])
            {
                foreach (int every in (int[])[0, 16, 8, 4])
                {
                    var world = new HopWorld([("Mae East", "UCSB", WayOf(104, loss))], parityEvery: every);
                    ulong before = world.SentBytes("Mae East", "UCSB");
                    TimeSpan[] times = [.. world.Echo("Mae East", "UCSB", 2000, 64, rate * 1000.0).Order()];
                    Row(
                        Percent(loss), every == 0 ? "none" : Text(every), Ms(Mean(times)),
                        Ms(times[times.Length * 99 / 100]), Ms(times[^1]),
                        Text(world.SentBytes("Mae East", "UCSB") - before),
                        Percent(world.ResentShare("Mae East", "UCSB")));
                }
            }
        }
        Head("Parity: one link of 10 Mbit/s and 104 ms, 10,000 messages of 1,024 bytes, Mbit/s", "loss",
            "parity after", "Hop", "sent again");
        foreach (double loss in (double[])[0, 0.01, 0.05])
        {
            foreach (int every in (int[])[0, 16, 4])
            {
                var world = new HopWorld([("Mae East", "UCSB", WayOf(104, loss))], parityEvery: every);
                double rate = world.Flood("Mae East", Messages, Bytes);
                Row(
                    Percent(loss), every == 0 ? "none" : Text(every), Mega(rate),
                    Percent(world.ResentShare("Mae East", "UCSB")));
            }
        }
    }

    private static TimeSpan Mean(IReadOnlyList<TimeSpan> times) =>
        TimeSpan.FromTicks((long)times.Average(static time => time.Ticks));

    private static void Head(string title, params string[] heads)
    {
        Console.WriteLine($"\n{title}\n");
        Row(heads);
        Row([.. heads.Select(static _ => "---")]);
    }

    private static void Row(params string[] cells) => Console.WriteLine($"| {string.Join(" | ", cells)} |");

    private static string Ms(TimeSpan time) => time.TotalMilliseconds.ToString("F1", CultureInfo.InvariantCulture);

    private static string Mega(double bits) => (bits / 1_000_000).ToString("F2", CultureInfo.InvariantCulture);

    private static string Percent(double share) => (share * 100).ToString("F1", CultureInfo.InvariantCulture) + " %";

    private static string Text(double value) => value.ToString(CultureInfo.InvariantCulture);
}

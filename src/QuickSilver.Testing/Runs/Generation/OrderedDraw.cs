using QuickSilver.Protocol.Ordering;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws which groups of a run are ordered, and their ring. Drawn apart, for runs that ask for it.</summary>
internal static class OrderedDraw
{
    private const double Groups = 0.6;

    /// <summary>The names of groups that are drawn, by those they had.</summary>
    public static Dictionary<string, string> Names(SimulationRandom random, IReadOnlyList<string> all)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 10);
        Dictionary<string, string> names = [];
        foreach (string group in all)
        {
            if (names.Count == 0 || dice.Chance(Groups)) names[group] = SimulatedModes.Ordered + group;
        }
        return names;
    }

    /// <summary>Draws the ring's windows, and whether messages are safe.</summary>
    public static SimulationOptions Ring(SimulationRandom random, SimulationOptions options)
    {
        var dice = new Dice(random, RandomStream.Options, part: 10);
        int personal = (int)dice.Log(1, 40);
        return options with
        {
            Ordered = new OrderedSettings { IsSafe = dice.Chance(0.4) },
            Node = options.Node with
            {
                Ring = new RingSettings
                {
                    PersonalWindow = personal,
                    GlobalWindow = personal * dice.Between(1, 9),
                    AcceleratedWindow = dice.Chance(0.3) ? 0 : dice.Between(1, personal + 1),
                    Patience = dice.Millis(5, 50),
                },
            },
        };
    }
}

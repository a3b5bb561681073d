using System.CommandLine;
using QuickSilver.Cli.Commands;

namespace QuickSilver.Cli.Arguments;

/// <summary>The mode of a group: given, or that of the group if it exists.</summary>
internal sealed class ModeArgument
{
    private const string Auto = "auto";

    private static readonly (string Name, ModeOptions Mode)[] Modes =
    [
        ("reliable", new ReliableMode()),
        ("hybrid", new ReliableMode { Hybrid = true }),
        ("ordered", new OrderedMode()),
        ("timed", new TimedMode()),
        ("lateral", new LateralMode()),
    ];

    private readonly Option<string> _mode = new("--mode", "-m")
    {
        Description = "Promise of the group: auto (that of the group; reliable for a new one), "
            + "reliable, hybrid, ordered, timed or lateral.",
        HelpName = "MODE",
        DefaultValueFactory = static _ => Auto,
    };

    /// <summary>Adds the option to a command.</summary>
    public ModeArgument(Command command)
    {
        _mode.AcceptOnlyFromAmong([Auto, .. Modes.Select(static one => one.Name)]);
        command.Options.Add(_mode);
    }

    /// <summary>Enters a group in its mode: where none is given, in one after the other until the group takes
    /// one.</summary>
    /// <param name="call">The command line.</param>
    /// <param name="enter">Enters.</param>
    /// <exception cref="QuickSilverException">The group has another mode, or cannot be entered.</exception>
    public async Task<T> EnterAsync<T>(CommandCall call, Func<ModeOptions, Task<T>> enter)
    {
        string given = call.Value(_mode)!;
        return await EnterAsync(given == Auto ? Modes : [Modes.First(one => one.Name == given)], enter)
            .ConfigureAwait(false);
    }

    /// <summary>The word for the mode of a view.</summary>
    public static string NameOf(GroupView view) => view.Mode switch
    {
        GroupMode.Reliable => view.HybridAddress.Length > 0 ? "hybrid" : "reliable",
        GroupMode.Lateral => "lateral",
        GroupMode.Timed => "timed",
        _ => "ordered",
    };

    /// <summary>Enters a group in a mode named by a word, first; in others if it has another.</summary>
    public static Task<T> EnterAsync<T>(string first, Func<ModeOptions, Task<T>> enter) =>
        EnterAsync([.. Modes.OrderByDescending(one => one.Name == first)], enter);

    private static async Task<T> EnterAsync<T>(
        (string Name, ModeOptions Mode)[] candidates, Func<ModeOptions, Task<T>> enter)
    {
        for (int index = 0; ; index++)
        {
            try
            {
                return await enter(candidates[index].Mode).ConfigureAwait(false);
            }
            catch (QuickSilverException other)
                when (other.Code == ErrorCode.GroupModeMismatch && index + 1 < candidates.Length)
            {
                // The next one may be the group's.
            }
        }
    }
}

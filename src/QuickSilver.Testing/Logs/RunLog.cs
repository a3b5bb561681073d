using System.Globalization;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Logs;

/// <summary>
/// What the applications of a run saw, as lines of text in the order of events: for <see cref="LogChecker"/>, and for
/// people. A line is the time in ticks, the node's number, a verb, and what the verb needs, all separated by blanks;
/// names of groups have none.
/// <code>
/// registered                                  the node has its number in the cluster
/// session GROUP STEP                          a session begins with a step
/// joined GROUP                                the join has returned
/// left GROUP                                  the session has ended
/// view GROUP STEP NODE,NODE,...               the node has a group view
/// sent GROUP NUMBER LENGTH CRC                a message is handed over; its number follows from the order
/// numbered GROUP NUMBER STEP                  it is bound to a group view
/// stable GROUP NUMBER                         its sender is told that everybody holds it
/// got GROUP SENDER NUMBER LENGTH CRC          a message is delivered
/// lost GROUP SENDER FIRST COUNT               messages are reported lost; count 0: nobody knows how many
/// crashed, stopped, expelled                  the node has ended
/// removed                                     the membership server has announced that the node is gone
/// restored                                    a later server took it over: nobody who reported to it had been told of
/// the removal settled NODE,NODE,...                       the run is over, and these nodes have all that they are owed
/// </code>
/// </summary>
internal sealed class RunLog
{
    private readonly List<string> _lines = [];

    /// <summary>The lines so far.</summary>
    public IReadOnlyList<string> Lines => _lines;

    /// <summary>Adds a line.</summary>
    /// <param name="time">When.</param>
    /// <param name="node">Index of the node.</param>
    /// <param name="what">Verb and arguments.</param>
    public void Add(TimeSpan time, int node, string what) =>
        _lines.Add(string.Create(CultureInfo.InvariantCulture, $"{time.Ticks} {node} {what}"));

    /// <summary>A step as the log writes it: term and counter, so that steps compare as pairs.</summary>
    public static string Text(StepNumber step) =>
        string.Create(CultureInfo.InvariantCulture, $"{step.Epoch.Term}.{step.Epoch.Server}.{step.Counter}");
}

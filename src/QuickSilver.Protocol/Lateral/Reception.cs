using System.Diagnostics;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Recovery.Reception;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// What one session has of one sender: which numbers are done, which are missing, and where the session begins.
/// <para>
/// Idea: each packet says which message was its sender's first in its step, and in which step the one before was sent.
/// If that was before the session, the session begins there. Otherwise the one before is missing, and will tell
/// the same when it comes. So the beginning is found exactly, however many steps lie between.
/// </para>
/// <para>
/// Numbers below <see cref="Next"/> are done; those above are marked in a window of bits, which grows and is bounded.
/// What is known to exist and is not done is missing (<see cref="Missing"/>). A number further ahead than the window
/// reaches needs <see cref="SkipTo"/> first. O(1) a message that comes in order, or fills the first or the last hole.
/// Core thread only.
/// </para>
/// </summary>
/// <param name="session">The session.</param>
/// <param name="sender">The sender.</param>
internal sealed class Reception(ModeSession session, NodeInfo sender)
{
    /// <summary>Limit on the numbers between the lowest that is not done and the highest.</summary>
    public const int MostOpen = 1 << 16;

    // The session may yet begin further back, by as much as a packet reaches.
    private const int WindowBits = 4 * MostOpen;

    private ReceptionWindow _done = new(WindowBits);

    public ModeSession Session { get; } = session;

    public NodeInfo Sender { get; } = sender;

    /// <summary>True once a packet of the session has come.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>True once it is known which message is the session's first.</summary>
    public bool IsLowFinal { get; private set; }

    /// <summary>The lowest number known to be for the session.</summary>
    public ulong Low { get; private set; }

    /// <summary>The lowest number that is not done.</summary>
    public ulong Next => HasBegun ? _done.Contiguous + 1 : 0;

    /// <summary>The highest number known to exist.</summary>
    public ulong High { get; private set; }

    /// <summary>The missing numbers, rising.</summary>
    public MissingMessages Missing { get; } = new();

    /// <summary>Messages of which some fragments have come.</summary>
    public List<Assembly> Assemblies { get; } = [];

    /// <summary>Messages that wait for their turn, and lost ones, by number; only where order is kept.</summary>
    public List<(ulong Number, Slice Bytes, bool IsLost)> Held { get; } = [];

    /// <summary>True while the engine looks at it for what is due.</summary>
    public bool IsWatched { get; set; }

    /// <summary>True once its sender has been removed.</summary>
    public bool IsOver { get; set; }

    /// <summary>When what is still missing of a removed sender is given up.</summary>
    public Core.Instant OverAt { get; set; }

    /// <summary>True once nothing more of a removed sender is taken.</summary>
    public bool IsClosed { get; set; }

    /// <summary>True for a number that was delivered or given up.</summary>
    public bool IsDone(ulong number) => HasBegun && _done.Contains(number);

    /// <summary>True when a number may be told of as it is; false: <see cref="SkipTo"/> comes first.</summary>
    public bool Reaches(ulong number) => !HasBegun || number < Next + MostOpen;

    /// <summary>
    /// A packet says where its sender's messages begin that are for the session. Numbers that are missing by that are
    /// added to <see cref="Missing"/>.
    /// </summary>
    /// <param name="number">The packet's number.</param>
    /// <param name="firstInStep">The sender's first in the packet's step.</param>
    /// <param name="isFirst">True when the message before that one is not for the session.</param>
    /// <param name="template">What a missing message begins with.</param>
    public void NotePlace(ulong number, ulong firstInStep, bool isFirst, in MissingMessage template)
    {
        Debug.Assert(firstInStep > 0 && firstInStep <= number, "a step begins at one of its messages");
        ulong low = isFirst ? firstInStep : firstInStep - 1;
        if (number - low >= MostOpen) low = number - MostOpen + 1;
        if (!HasBegun)
        {
            HasBegun = true;
            Low = low;
            _done.AdvanceTo(low);
            // What was asked for without knowing whether it is for the session.
            ForgetMissing(low);
            AddMissing(low, number, template);
            High = Math.Max(High, number);
            AddMissing(number, High, template);
        }
        else if (low < Low && !IsLowFinal)
        {
            Lower(low);
            AddMissing(low, number, template);
        }
        if (isFirst) IsLowFinal = true;
        NoteExists(number, template);
    }

    /// <summary>The session is taken to begin with the lowest number known.</summary>
    public void EndLow() => IsLowFinal = true;

    /// <summary>
    /// A number that the session <see cref="Reaches"/> is known to exist: those up to it are missing unless they are
    /// done.
    /// </summary>
    public void NoteExists(ulong number, in MissingMessage template)
    {
        if (number <= High && (HasBegun || Missing.Find(number) >= 0)) return;
        ulong from = HasBegun ? Math.Max(Next, High + 1) : number;
        High = Math.Max(High, number);
        AddMissing(from, number, template);
    }

    /// <summary>A number is delivered, or given up.</summary>
    public void SetDone(ulong number)
    {
        if (HasBegun) _done.TryMark(number);
        int index = Missing.Find(number);
        if (index >= 0) Missing.RemoveAt(index);
    }

    /// <summary>All numbers below one are done, also those that nothing was known of.</summary>
    public void SkipTo(ulong number)
    {
        Debug.Assert(number > 0, "numbers begin at 1");
        _done.AdvanceTo(number);
        ForgetMissing(number);
        High = Math.Max(High, number - 1);
        IsLowFinal = true;
    }

    /// <summary>Missing numbers below a limit are none of the session's.</summary>
    public void ForgetMissing(ulong below)
    {
        while (Missing.Count > 0 && Missing[0].Number < below) Missing.RemoveAt(0);
    }

    /// <summary>The fragments that have come of a message; null: none.</summary>
    public Assembly? FindAssembly(ulong number)
    {
        foreach (Assembly assembly in Assemblies)
        {
            if (assembly.Number == number) return assembly;
        }
        return null;
    }

    private void AddMissing(ulong from, ulong to, MissingMessage template)
    {
        for (ulong number = from; number <= to && number != 0; number++)
        {
            if (!IsDone(number)) Missing.Add(template with { Number = number });
        }
    }

    // Once a step back in the search for the beginning: what is done is marked again, above the new low.
    private void Lower(ulong low)
    {
        Debug.Assert(HasBegun && !IsLowFinal && low < Low, "the beginning is still looked for");
        ReceptionWindow before = _done;
        _done = new ReceptionWindow(WindowBits);
        _done.AdvanceTo(low);
        for (ulong number = Low; number <= before.Highest; number++)
        {
            if (before.Contains(number)) _done.TryMark(number);
        }
        Low = low;
    }
}

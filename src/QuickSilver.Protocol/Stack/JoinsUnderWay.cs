using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// The joins of one node under way. The joins that wait for a name, and those that wait for a step to settle, are found
/// by it: a step costs O(its groups), however many joins are under way. Core thread only.
/// </summary>
internal sealed class JoinsUnderWay
{
    private readonly Dictionary<JoinRequest, JoinProgress> _byRequest = [];
    private readonly Dictionary<string, JoinProgress> _byName = new(StringComparer.Ordinal);
    private readonly List<(StepNumber Step, List<JoinProgress> Joins)> _settling = [];

    // Further joins of a name that is awaited already: an abandoned join may still be admitted.
    private readonly List<(string Name, JoinProgress Join)> _behind = [];

    /// <summary>Begins a join.</summary>
    public void Add(JoinRequest request)
    {
        var join = new JoinProgress(request);
        _byRequest.Add(request, join);
        foreach (string name in request.Names)
        {
            if (!_byName.TryAdd(name, join)) _behind.Add((name, join));
        }
    }

    /// <summary>A join by its request; null when it is over.</summary>
    public JoinProgress? Find(JoinRequest request) => _byRequest.GetValueOrDefault(request);

    /// <summary>Takes the oldest join that waits for a name, and counts the name as admitted; null without
    /// one.</summary>
    public JoinProgress? Take(string name)
    {
        if (!_byName.Remove(name, out JoinProgress? join)) return null;
        join.Awaited--;
        int next = _behind.FindIndex(entry => entry.Name == name);
        if (next < 0) return join;
        _byName.Add(name, _behind[next].Join);
        _behind.RemoveAt(next);
        return join;
    }

    /// <summary>A join waits for a step to settle, besides others.</summary>
    public void AwaitStep(JoinProgress join, StepNumber step)
    {
        if (join.LastStep == step) return;
        join.LastStep = step;
        join.Unsettled++;
        if (_settling.Count == 0 || _settling[^1].Step != step) _settling.Add((step, []));
        _settling[^1].Joins.Add(join);
    }

    /// <summary>
    /// A step has settled. The first step of a new server stands for all steps that its predecessor had no time to
    /// settle.
    /// </summary>
    /// <param name="step">The step.</param>
    /// <param name="done">Receives the joins that wait for nothing else, in the order of their steps.</param>
    public void Settle(StepNumber step, List<JoinProgress> done)
    {
        for (int index = 0; index < _settling.Count; index++)
        {
            (StepNumber waiting, List<JoinProgress> joins) = _settling[index];
            if (waiting != step && waiting.Epoch >= step.Epoch) continue;
            foreach (JoinProgress join in joins)
            {
                join.Unsettled--;
                if (!join.IsCancelled && join.Awaited == 0 && join.Unsettled == 0) done.Add(join);
            }
            _settling.RemoveAt(index--);
        }
    }

    /// <summary>Forgets a join that is done, or cancelled and waits for no name.</summary>
    public void Remove(JoinProgress join) => _byRequest.Remove(join.Request);

    /// <summary>Gives back the memory of a burst of joins.</summary>
    public void Trim()
    {
        SpareRoom.GiveBack(_byRequest);
        SpareRoom.GiveBack(_byName);
    }

    /// <summary>Forgets all joins.</summary>
    public void Clear()
    {
        _byRequest.Clear();
        _byName.Clear();
        _settling.Clear();
        _behind.Clear();
    }
}

/// <summary>One join under way.</summary>
/// <param name="request">The host's request.</param>
internal sealed class JoinProgress(JoinRequest request)
{
    /// <summary>The host's request.</summary>
    public JoinRequest Request { get; } = request;

    /// <summary>Number of names to which the node has not been admitted.</summary>
    public int Awaited { get; set; } = request.Names.Count;

    /// <summary>The groups to which it has.</summary>
    public List<LocalGroup> Admitted { get; } = [];

    /// <summary>Number of steps that have to settle.</summary>
    public int Unsettled { get; set; }

    /// <summary>The last of them.</summary>
    public StepNumber LastStep { get; set; }

    /// <summary>True once nobody waits for it: groups are left again as they are admitted.</summary>
    public bool IsCancelled { get; set; }
}

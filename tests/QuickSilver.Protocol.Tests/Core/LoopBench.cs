using System.Text;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Core;

/// <summary>A loop over queues that the test fills, which logs what happens in which order.</summary>
internal sealed class LoopBench : ICompletionHandler, IStallObserver
{
    private readonly Dictionary<string, byte[]> _names = [];

    public LoopBench()
    {
        Requests = new RequestStub(this);
        Roots = new RootsStub(this);
        Loop = new LoopTurn(new LoopParts(Clock, Requests, Completions, this, Alarms, Roots), stalls: this);
    }

    public ManualClock Clock { get; } = new();

    public AlarmQueue Alarms { get; } = new();

    public RequestStub Requests { get; }

    public CompletionStub Completions { get; } = new();

    public RootsStub Roots { get; }

    public LoopTurn Loop { get; }

    public List<string> Log { get; } = [];

    public List<(TurnPhase Phase, TimeSpan Took)> Stalls { get; } = [];

    public Action<string>? OnHandled { get; set; }

    public Action? OnPull { get; set; }

    public bool Quiet { get; set; }

    public void Arrive(string name, PriorityClass priority) =>
        Completions.Add(NameOf(name), priority, NameOf(name).Length);

    public void ArriveDrained(string name, PriorityClass priority) => Completions.Add(NameOf(name), priority, 0);

    public Alarm SetAlarm(string name, TimeSpan after, Action? then = null)
    {
        var alarm = new Alarm(Alarms, _ =>
        {
            Log.Add(name);
            then?.Invoke();
        });
        alarm.Set(Clock.Now + after);
        return alarm;
    }

    public void Handle(ref Completion completion, Instant now)
    {
        if (Quiet) return;
        string name = Encoding.ASCII.GetString(completion.Buffer);
        Log.Add(name);
        OnHandled?.Invoke(name);
    }

    public void OnStall(TurnPhase phase, TimeSpan took, Instant now) => Stalls.Add((phase, took));

    private byte[] NameOf(string name) =>
        _names.TryGetValue(name, out byte[]? bytes) ? bytes : _names[name] = Encoding.ASCII.GetBytes(name);

    internal sealed class CompletionStub : ICompletionQueue
    {
        private readonly Queue<Completion> _ready = new();

        public int Recycled { get; private set; }

        public int TakesInLastTurn { get; private set; }

        public int LastRoom { get; private set; }

        public int LargestRoom { get; private set; }

        public void Add(byte[] name, PriorityClass priority, int length) =>
            _ready.Enqueue(new Completion(SocketRole.Multicast, priority, null, name, 0, length));

        public int Take(List<Completion> batch, int room)
        {
            TakesInLastTurn++;
            LastRoom = room;
            LargestRoom = Math.Max(room, LargestRoom);
            int taken = 0;
            while (taken < room && _ready.TryDequeue(out Completion next))
            {
                batch.Add(next);
                taken++;
            }
            return taken;
        }

        public void Recycle(in Completion completion) => Recycled++;

        public void BeginTurn() => TakesInLastTurn = 0;
    }

    internal sealed class RequestStub(LoopBench bench) : IRequestQueue
    {
        public int Count { get; set; }

        public int RunAll(Instant now)
        {
            bench.Completions.BeginTurn();
            int run = Count;
            Count = 0;
            for (int index = 0; index < run; index++) bench.Log.Add("request");
            return run;
        }
    }

    internal sealed class RootsStub(LoopBench bench) : IPullRoots
    {
        public int Datagrams { get; set; }

        public int Control { get; set; }

        public bool HasWork => false;

        public int PullControl(Instant now)
        {
            int sent = Control;
            if (sent > 0) bench.Log.Add("control");
            Control = 0;
            return sent;
        }

        public int PullAll(Instant now)
        {
            if (!bench.Quiet) bench.Log.Add("pull");
            bench.OnPull?.Invoke();
            return Datagrams;
        }
    }
}

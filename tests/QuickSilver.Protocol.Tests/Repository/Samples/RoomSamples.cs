#pragma warning disable CA1822, CA1812, IDE0130, CA1064

namespace QuickSilver.Protocol.Tests.Repository.Samples.Early
{
    internal sealed class First;

    internal sealed class CallsLater
    {
        public int Call() => Late.Later.Number();
    }

    internal sealed class HoldsLater
    {
        public List<Late.Later[]>? Held { get; set; }
    }

    internal sealed class ConstrainedByLater<T>
        where T : Late.ILater
    {
        public T? Value { get; set; }
    }

    internal sealed class CatchesLater
    {
        public void Try(Action action)
        {
            try
            {
                action();
            }
            catch (Late.LaterException)
            {
            }
        }
    }
}

namespace QuickSilver.Protocol.Tests.Repository.Samples.Late
{
    internal interface ILater;

    internal sealed class Later
    {
        public Early.First? First { get; set; }

        public static int Number() => new Early.First().GetHashCode();
    }

    internal sealed class LaterException : Exception;
}

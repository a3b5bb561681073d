import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Channel;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.ReceiverAdapter;
import org.jgroups.conf.XmlConfigurator;

/**
 * JGroups as one sender and its receivers, all members of one channel. It does what the frame in C does (native/peer.c): see bench/peers/README.md for the
 * contract. Its own flow control (MFC) holds the sender up.
 *
 * Defaults: the stack in the library's own udp.xml, or in the file of it that the property peer.stack names. Tuned, by the manual's notes on bundling and flow control and by its fast-local.xml: more credits, the newer
 * bundler, bundles that do not wait 30 ms, a longer queue for received packets (which discards beyond it), earlier retransmission.
 */
public final class JGroupsPeer extends ReceiverAdapter {
    private static final int WARM_UP = 0, MEASURED = 1, COOL_DOWN = 2, HEAD = 24, SUB_BUCKETS = 32, SAMPLE_EVERY = 16;
    private static final long NANOS = 1_000_000_000L;
    private static final String[][] TUNING = {
        { "max_bundle_timeout=\"30\"", "max_bundle_timeout=\"1\" bundler_type=\"new\"" },
        { "max_credits=\"2M\"", "max_credits=\"8M\"" },
        { "thread_pool.queue_max_size=\"10000\"", "thread_pool.queue_max_size=\"100000\"" },
        { "retransmit_timeout=\"300,600,1200\"", "retransmit_timeout=\"30,60,120,300\"" },
        { "loopback=\"true\"", "loopback=\"false\"" },
    };

    private final Map<String, String> options = new HashMap<>();
    private final boolean isSender;
    private final int size;
    private final CountDownLatch go = new CountDownLatch(1);
    private final long[] histogram = new long[64 * SUB_BUCKETS];
    private volatile long total = -1, delivered;
    private long sent, measured, last, outOfOrder, damaged, firstTicks, lastTicks, histogramCount, histogramMax, start;
    private double cpuBegin = -1, cpuEnd = -1;
    private int phase;

    private JGroupsPeer(String[] args) {
        isSender = args[0].equals("sender");
        for (int i = 1; i + 1 < args.length; i += 2) options.put(args[i], args[i + 1]);
        size = Integer.parseInt(options.get("--size"));
    }

    public static void main(String[] args) throws Exception {
        JGroupsPeer peer = new JGroupsPeer(args);
        Thread listener = new Thread(peer::listen, "scenario");
        listener.setDaemon(true);
        listener.start();
        try {
            peer.run();
        } catch (Exception failure) {
            say("{\"kind\":\"failed\",\"failure\":\"" + failure.toString().replaceAll("[\"\\\\\\p{Cntrl}]", "'") + "\"}");
            System.exit(1);
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** The scenario's words; when they end, so does this. */
    private void listen() {
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line; (line = input.readLine()) != null; ) {
                int count = line.indexOf("\"total\":");
                if (line.contains("\"kind\":\"go\"")) go.countDown();
                else if (line.contains("\"kind\":\"total\"") && count >= 0) total = Long.parseLong(line.substring(count + 8).replaceAll("[^0-9].*", ""));
            }
        } catch (java.io.IOException gone) {
            // As good as closed.
        }
        Runtime.getRuntime().halt(0);
    }

    private void run() throws Exception {
        System.setProperty("jgroups.bind_addr", options.get("--address"));
        System.setProperty("jgroups.udp.mcast_addr", options.get("--group"));
        System.setProperty("jgroups.udp.mcast_port", options.get("--port"));
        int members = Integer.parseInt(options.get("--receivers")) + 1;
        JChannel channel = new JChannel(XmlConfigurator.getInstance(stack()));
        channel.setOpt(Channel.LOCAL, false);
        channel.setReceiver(this);
        // Members that start at the same moment each found a cluster of their own, to be merged half a minute later: so the receivers wait for the sender.
        InetSocketAddress door = new InetSocketAddress(InetAddress.getByName(options.get("--server")), Integer.parseInt(options.get("--port")) + 1);
        if (!isSender) knock(door);
        channel.connect("quicksilver");
        ServerSocket listener = isSender ? new ServerSocket(door.getPort(), 100, door.getAddress()) : null;
        while (channel.getView().size() < members) Thread.sleep(20);
        say("{\"kind\":\"ready\"}");
        if (isSender) send(channel);
        else receive();
        report();
        Thread.sleep(Long.MAX_VALUE);
    }

    private static void knock(InetSocketAddress door) throws Exception {
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(door);
                return;
            } catch (java.io.IOException notYet) {
                Thread.sleep(50);
            }
        }
    }

    private InputStream stack() throws Exception {
        String text;
        try (InputStream defaults = JChannel.class.getResourceAsStream("/" + System.getProperty("peer.stack", "udp.xml"))) {
            text = new String(defaults.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (options.get("--tuned").equals("1")) for (String[] change : TUNING) text = text.replace(change[0], change[1]);
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    // ---- sender ----

    private void send(JChannel channel) throws Exception {
        double rate = Double.parseDouble(options.get("--rate"));
        go.await();
        start = System.nanoTime();
        while (true) {
            long now = System.nanoTime(), ticks = now;
            if (rate == 0 && phase == WARM_UP && phaseAt(now) != WARM_UP && phaseAt(now) != MEASURED) start = now - (long) (Double.parseDouble(options.get("--warmup")) * NANOS);
            if (phaseAt(now - 2 * NANOS) < 0) return;
            if (rate > 0) {
                ticks = start + (long) (sent * (NANOS / rate));
                if (phaseAt(ticks) < 0) return;
                while ((now = System.nanoTime()) < ticks) LockSupport.parkNanos(ticks - now);
            }
            int part = phaseAt(ticks);
            if (part < 0) return;
            if (part != phase) enter(part);
            if (part == MEASURED) {
                measured++;
                if (rate > 0) record(now - ticks);
            }
            // It keeps the array until the message is stable.
            byte[] message = new byte[size];
            ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).putInt(0).putInt(part).putLong(++sent).putLong(ticks);
            channel.send(new Message(null, null, message));
        }
    }

    private int phaseAt(long ticks) {
        double seconds = (ticks - start) / 1e9, warmUp = Double.parseDouble(options.get("--warmup")), end = warmUp + Double.parseDouble(options.get("--seconds"));
        if (seconds < warmUp) return WARM_UP;
        if (seconds < end) return MEASURED;
        return seconds < end + 0.1 ? COOL_DOWN : -1;
    }

    // ---- receiver ----

    private void receive() throws Exception {
        long before = -1, since = 0, ended = 0;
        while (total < 0 || (delivered < total && System.nanoTime() - since < NANOS && System.nanoTime() - ended < 10 * NANOS)) {
            Thread.sleep(20);
            if (total >= 0 && ended == 0) ended = since = System.nanoTime();
            if (delivered == before) continue;
            before = delivered;
            since = System.nanoTime();
        }
    }

    /** One thread at a time for each sender: that is how JGroups keeps order. */
    @Override
    public void receive(Message message) {
        if (isSender) return;
        delivered++;
        if (message.getLength() != size) {
            damaged++;
            return;
        }
        ByteBuffer head = ByteBuffer.wrap(message.getRawBuffer(), message.getOffset(), HEAD).order(ByteOrder.LITTLE_ENDIAN);
        head.getInt();
        int part = head.getInt();
        long index = head.getLong(), ticks = head.getLong();
        if (part > phase) enter(part);
        if (part == MEASURED) {
            lastTicks = System.nanoTime();
            if (measured++ == 0) firstTicks = lastTicks;
            if (!options.get("--rate").equals("0") || measured % SAMPLE_EVERY == 0) record(lastTicks - ticks);
        }
        if (index <= last) outOfOrder++;
        else last = index;
    }

    // ---- figures ----

    private static double cpuNow() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    private void enter(int next) {
        phase = next;
        if (next == MEASURED) cpuBegin = cpuNow();
        else if (cpuEnd < 0) cpuEnd = cpuNow();
    }

    private void record(long nanos) {
        int bucket = (int) Math.max(0, nanos);
        if (nanos >= SUB_BUCKETS) {
            int octave = 63 - Long.numberOfLeadingZeros(nanos) - 5;
            bucket = octave * SUB_BUCKETS + (int) (nanos >> octave);
        }
        histogram[bucket]++;
        histogramCount++;
        histogramMax = Math.max(histogramMax, nanos);
    }

    private double quantile(double share) {
        long left = (long) (share * histogramCount);
        for (int i = 0; i < histogram.length; i++) {
            if ((left -= histogram[i]) >= 0) continue;
            return i < 2 * SUB_BUCKETS ? i / 1e3 : ((long) (i % SUB_BUCKETS + SUB_BUCKETS) << (i / SUB_BUCKETS - 1)) / 1e3;
        }
        return histogramMax / 1e3;
    }

    private void report() {
        if (cpuEnd < 0) cpuEnd = cpuNow();
        double seconds = isSender ? Double.parseDouble(options.get("--seconds")) : (lastTicks - firstTicks) / 1e9;
        double rate = seconds <= 0 ? 0 : (isSender ? measured : measured - 1) / seconds;
        long lost = isSender ? 0 : Math.max(0, total - (delivered - outOfOrder - damaged));
        String latency = histogramCount == 0 ? "" : String.format(Locale.ROOT, ",\"%s\":{\"count\":%d,\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}",
            isSender ? "lateness" : "latency", histogramCount, quantile(0.5), quantile(0.99), quantile(0.999), histogramMax / 1e3);
        say(String.format(Locale.ROOT, "{\"kind\":\"result\",\"result\":{\"process\":\"%s\",\"role\":\"%s\",\"sent\":%d,\"delivered\":%d,\"lost\":%d,\"outOfOrder\":%d,"
            + "\"damaged\":%d,\"measured\":%d,\"measuredSeconds\":%.6f,\"rate\":%.3f,\"cpuSeconds\":%.6f%s}}",
            options.get("--name"), isSender ? "Sender" : "Receiver", sent, delivered, lost, outOfOrder, damaged, measured, seconds, rate,
            cpuBegin < 0 ? 0 : cpuEnd - cpuBegin, latency));
    }
}
